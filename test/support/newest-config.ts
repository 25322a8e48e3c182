const ref = (name: string) => `\${${name}}`;

/** A file in the newest published style that uses every key of it, and none in an older spelling. */
export const newest = `#:schema https://discern.sh/schema/v1/discern-config.schema.json

[project]
name = "Harbour Desk"
slug = "harbour"
gotchas_doc = "notes/map/traps.md"
todo = "notes/TODO.md"
record_logbook = true
agents = ["claude_code", "codex", "gemini", "cursor", "copilot"]

[repository]
trunk = "main"
branch_prefix = "agent/"
proof_notes_mode = "fetch"
ensure = ["npm ci"]

[map]
dir = "notes/map"

[instructions]
sources = ["notes/instructions.md", "notes/more/*.md"]

[skills]
dir = "notes/skills"
exclude = ["grill"]

[jobs]
format = ["prettier --write .", "discern tidy"]
lint = { run = "eslint .", inputs = ["src/**", "*.js"], toolchain = ["package-lock.json"], timeout = 120 }
typecheck = { run = ["tsc --noEmit"], needs = ["jobs.build"], environment = ["NODE_ENV"] }

[jobs.build]
run = "npm run build"
inputs = ["src/**"]
artifacts = ["dist/app.js"]
toolchain = ["package-lock.json"]

[jobs.test]
run = "npm test -- --coverage"
inputs = ["src/**", "test/**"]
needs = ["jobs.build"]
artifacts = ["coverage/summary.json"]
environment = ["TZ"]
toolchain = ["package-lock.json"]
timeout = 1200

[jobs.licences]
stage = "check"
run = "${ref('scripts.dir')}/licences.sh ${ref('HARBOUR_OPTIONS:-none')}"
inputs = ["package-lock.json"]
needs = []
artifacts = []
environment = []
toolchain = []
provides = "licence audit"
timeout = 0

[setup]
not_applicable = ["smoke"]

[scopes.map]
paths = ["${ref('map.dir')}**", "${ref('project.todo')}"]
neutral = true

[scopes.native]
paths = ["native/**"]
neutral = false
preview = "make -C native preview"
gate = ["make -C native check", "make -C native lint"]
inputs = ["native/**"]
needs = ["jobs.build", "standards.coverage"]
artifacts = ["native/out.bin"]
environment = ["CC"]
toolchain = ["native/versions.lock"]
timeout = 300

[scopes.site]
paths = ["site/**"]
preview = ["npm run site", "npm run open"]

[generated.reference]
paths = ["reference/**"]
run = "npm run reference"
linguist_generated = true
timeout = 60

[acceptance]
pre_authorized = ["map"]

[worktree]
root = "../desks"
inherit_env = ["APP_KEY"]
env_files = [".env", ".env.local"]
export_port = true
track_ignored_drift = true

[worktree.resources.db]
create = "createdb -T @project_slug@_template @db@ && echo @site@ @port@ @dir@ @worktree@ @resource@"
destroy = "dropdb --if-exists @db@"
ensure = "pg_isready -d @db@"
required = true
retries = 2
prunable = false

[worktree.setup]
steps = ["npm run seed"]
ensure = ["npm run links"]

[standards.coverage]
metric = "lines"
direction = "up"
limit = 80
producer = "jobs.test"
extract = ["jq -r '.total' | sed 's/^/DISCERN_METRIC lines /'"]
artifact = "coverage/summary.json"
inputs = ["src/**", "test/**"]
margin = 0.5
timeout = 30

[standards.density]
metric = "warnings"
direction = "down"
limit = 5
run = "npm run count"
needs = ["jobs.build"]
artifacts = ["warnings.txt"]
environment = ["LANG"]
toolchain = ["package-lock.json"]
inputs = ["src/**"]
per = { lines = "src/**" }
scale = 1000

[checkpoints.sensitive]
scope = "native"
include_generated = true
exclude_paths = ["native/vendor/**"]
unless_changed = ["docs/**", "site"]
kinds = ["added", "modified", "deleted"]
adds_matching = ["unsafe"]
removes_matching = ["assert("]
new_directory = true
binary = false
min_changed_files = 1
min_changed_lines = 10
deletion_dominant = false
similar_new_file = false
min_commits = 1
when = "scripts/decide.sh"
mode = "advise"
question = "What could leak, and what stops it?"
teach = "A leak is for ever."
reference = "notes/map/leaks.md"

[checkpoints.playbook]
paths = ["notes/skills/**"]
mode = "stop"
question_file = "notes/questions/playbook.md"

[checkpoints.map-focus]

[gate]
stream_output = true
fail_fast = false
timeout = 900
concurrent_test_runs = 2

[coupling]
report_in_gate = false

[scripts]
dir = "tools"

[meta]
managed_version = "1.4.0"
schema_version = 1
bootstrapped = true
setup_completion = "proven"
setup_model = "unreported"
setup_version = "1.2.0"
`;
