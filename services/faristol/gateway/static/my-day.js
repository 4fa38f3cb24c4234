// Makes a player's page available without a network, in its last state.

import { keepOffline } from "./offline.js";

keepOffline();
