/** Entry point of the page. */

import "./style.css";
import "./styles/first_screen.css";
import "./styles/big_play.css";
import "./styles/choices.css";
import "./styles/help.css";
import "./styles/keyboard.css";
import "./styles/lessons.css";
import "./styles/past.css";
import "./styles/share.css";
import { App } from "./app";
import { connectEarly } from "./net/connection";

// In one task, so that no message arrives before the page listens.
connectEarly();
new App().start();
