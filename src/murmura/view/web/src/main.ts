/** Entry point of the page. */

import "./style.css";
import { App } from "./app";
import { connectEarly } from "./net/connection";

// In one task, so that no message arrives before the page listens.
connectEarly();
new App().start();
