/** The licences of the packages that the built page contains: they ask to stay with the code. */

import lilGui from "../../node_modules/lil-gui/LICENSE.md?raw";
import uplot from "../../node_modules/uplot/LICENSE?raw";

export const NOTICES: Readonly<Record<string, string>> = { "lil-gui": lilGui, uplot };
