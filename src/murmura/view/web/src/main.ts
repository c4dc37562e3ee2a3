/** Where the page begins. */

import "./style.css";
import { App } from "./app";
import { connectEarly } from "./net/connection";

// In one task: what the server sends waits until the page listens.
connectEarly();
new App().start();
