// Cuts GitHub's description of its API down to the requests that `shakedown github` makes.
//
//   npm pack @octokit/openapi@23.0.2 && tar xzf octokit-openapi-23.0.2.tgz
//   node scripts/lib/openapi-cut.mjs package > forge/tests/contract/openapi.json
//
// The description is GitHub's (github.com/github/rest-api-description), published by Octokit on
// npm; both are under the MIT licence.
import { readFileSync } from "node:fs";

const requests = {
  "/user": ["get"],
  "/repos/{owner}/{repo}/issues/{issue_number}/comments": ["get", "post"],
  "/repos/{owner}/{repo}/issues/comments/{comment_id}": ["patch", "delete"],
  "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions": ["post"],
  "/repos/{owner}/{repo}/commits/{ref}/check-runs": ["get"],
  "/repos/{owner}/{repo}/compare/{basehead}": ["get"],
  "/repos/{owner}/{repo}/check-runs": ["post"],
  "/repos/{owner}/{repo}/check-runs/{check_run_id}": ["patch"],
  "/repos/{owner}/{repo}/commits/{ref}/status": ["get"],
  "/repos/{owner}/{repo}/statuses/{sha}": ["post"],
  "/repos/{owner}/{repo}/issues": ["get", "post"],
  "/repos/{owner}/{repo}/issues/{issue_number}": ["patch"],
  "/repos/{owner}/{repo}/pulls": ["get"],
  "/repos/{owner}/{repo}/pulls/{pull_number}": ["get"],
  "/repos/{owner}/{repo}/actions/runs": ["get"],
  "/repos/{owner}/{repo}/actions/runs/{run_id}": ["get"],
  "/repos/{owner}/{repo}/actions/runs/{run_id}/jobs": ["get"],
  "/repos/{owner}/{repo}/actions/runs/{run_id}/artifacts": ["get"],
  "/repos/{owner}/{repo}/collaborators/{username}/permission": ["get"],
  "/repos/{owner}/{repo}": ["get"],
  "/repos/{owner}/{repo}/releases": ["get"],
  "/repos/{owner}/{repo}/contents/{path}": ["get"],
  "/repos/{owner}/{repo}/labels/{name}": ["get"],
  "/repos/{owner}/{repo}/actions/variables": ["get"],
  "/repos/{owner}/{repo}/actions/permissions": ["get"],
  "/repos/{owner}/{repo}/actions/permissions/selected-actions": ["get"],
  "/repos/{owner}/{repo}/actions/permissions/workflow": ["get"],
  "/repos/{owner}/{repo}/actions/permissions/fork-pr-contributor-approval": ["get"],
  "/repos/{owner}/{repo}/actions/runners": ["get"],
  "/repos/{owner}/{repo}/actions/runners/{runner_id}": ["delete"],
  "/repos/{owner}/{repo}/actions/runners/generate-jitconfig": ["post"],
  "/repos/{owner}/{repo}/installation": ["get"],
  "/orgs/{org}/actions/runner-groups": ["get"],
  "/orgs/{org}/actions/runner-groups/{runner_group_id}/runners": ["get"],
  "/orgs/{org}/actions/runners": ["get"],
  "/orgs/{org}/actions/runners/{runner_id}": ["delete"],
  "/orgs/{org}/actions/runners/generate-jitconfig": ["post"],
  "/orgs/{org}/installation": ["get"],
  "/app/installations/{installation_id}/access_tokens": ["post"],
  "/repos/{owner}/{repo}/rules/branches/{branch}": ["get"],
  "/repos/{owner}/{repo}/branches/{branch}/protection/required_status_checks": ["get"],
  "/repos/{owner}/{repo}/pages": ["get"],
};

const folder = process.argv[2] ?? "package";
const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
const whole = JSON.parse(readFileSync(`${folder}/generated/api.github.com.json`, "utf8"));

const cut = {
  openapi: whole.openapi,
  info: {
    ...whole.info,
    description: `The requests that shakedown makes, cut by scripts/lib/openapi-cut.mjs from ${name} ${version}.`,
  },
  servers: whole.servers,
  paths: {},
  components: {},
};

for (const [path, methods] of Object.entries(requests)) {
  const from = whole.paths[path];
  if (!from) throw new Error(`${version} has no ${path}`);
  cut.paths[path] = from.parameters ? { parameters: from.parameters } : {};
  for (const method of methods) {
    if (!from[method]) throw new Error(`${version} has no ${method} ${path}`);
    const { parameters, requestBody, responses, operationId } = from[method];
    cut.paths[path][method] = { operationId, parameters, requestBody, responses: succeeding(responses) };
  }
}

// What is answered when all is well: errors are met by the stateful fake in the other tests.
function succeeding(responses) {
  return Object.fromEntries(Object.entries(responses).filter(([status]) => status.startsWith("2")));
}

// Everything that is referred to, and what that refers to.
function collect(value) {
  if (Array.isArray(value)) return value.forEach(collect);
  if (value === null || typeof value !== "object") return;
  if (typeof value.$ref === "string") {
    const [, , kind, id] = value.$ref.split("/");
    cut.components[kind] ??= {};
    if (!cut.components[kind][id]) {
      cut.components[kind][id] = whole.components[kind][id];
      collect(cut.components[kind][id]);
    }
  }
  Object.values(value).forEach(collect);
}
collect(cut.paths);

// The media type that GitHub asks clients to accept is not in the file.
const accepted = "application/vnd.github+json";
function accept(responses) {
  for (const { content } of Object.values(responses ?? {})) {
    if (content?.["application/json"]) content[accepted] = content["application/json"];
  }
}
for (const methods of Object.values(cut.paths)) {
  for (const method of Object.values(methods)) accept(method.responses);
}
accept(cut.components.responses);

process.stdout.write(JSON.stringify(cut) + "\n");
