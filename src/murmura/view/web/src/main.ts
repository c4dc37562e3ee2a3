/** Where the page begins. */

import "./style.css";
import { App } from "./app";

new App().start();
