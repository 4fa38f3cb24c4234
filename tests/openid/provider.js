// A provider of OpenID Connect for tests. Its login takes any name: who signs in as `eva` is eva@federation.example.
// Usage: node provider.js LIBRARY PORT REDIRECT_URI [KEY]; KEY names the key that it signs by, made at each start.

import { generateKeyPairSync } from "node:crypto";
import { pathToFileURL } from "node:url";

const [library, port, redirect, key = "first"] = process.argv.slice(2);
const { Provider } = await import(pathToFileURL(library).href);
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });

const provider = new Provider(`http://localhost:${port}`, {
  clients: [
    {
      client_id: "faristol",
      client_secret: "a secret of the client, and only a test's",
      redirect_uris: [redirect],
      grant_types: ["authorization_code"],
    },
  ],
  cookies: { keys: ["for tests"] },
  jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), kid: key, use: "sig", alg: "RS256" }] },
  claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "groups"] },
  pkce: { required: () => true },
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({
      sub: id,
      name: `${id[0].toUpperCase()}${id.slice(1)} Soler`,
      email: `${id.replace(/-.*/, "")}@federation.example`,
      email_verified: !id.endsWith("-unverified"),
      groups: id.startsWith("arbiter") ? ["players", "arbiters"] : ["players"],
    }),
  }),
});

provider.listen(Number(port), "localhost", () => console.log("ready"));
