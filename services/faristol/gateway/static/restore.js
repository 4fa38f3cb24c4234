// The pages of a restore: sends the file of a backup, and waits until the restored record is served.
const RETRY_MS = 1000;
const form = document.querySelector(".backup");
const told = document.querySelector(".notice.bad");

async function send(file) {
  const answer = await fetch(form.dataset.send, {
    method: "POST",
    headers: { "Content-Type": "application/octet-stream" },
    body: file,
  });
  if (new URL(answer.url).pathname === "/sign-in") return location.assign(answer.url);
  const other = () => ({ problem: `${answer.status} ${answer.statusText}` });
  const { address, problem, detail } = await answer.json().catch(other);
  if (address) return location.assign(address);
  told.textContent = problem ?? detail;
  told.hidden = false;
}

form?.addEventListener("submit", (event) => {
  event.preventDefault();
  const button = form.querySelector("button");
  button.disabled = true;
  send(form.querySelector("[type=file]").files[0]).finally(() => (button.disabled = false));
});

async function wait(address) {
  // The services of before the restore may still answer this address with this page.
  const answer = await fetch(address, { redirect: "manual" }).catch(() => undefined);
  const ready = answer?.type === "opaqueredirect" || (answer?.ok && !(await answer.text()).includes("data-wait-for"));
  if (ready) location.assign(address);
  else setTimeout(wait, RETRY_MS, address);
}

const waiting = document.querySelector("[data-wait-for]");
if (waiting) wait(waiting.dataset.waitFor);
