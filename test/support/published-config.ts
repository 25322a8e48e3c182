const ref = (name: string) => `\${${name}}`;

/** A file as discern itself writes it: ruled comments, indented sub-tables, tables that other tools read. */
export const published = String.raw`#:schema https://discern.sh/schema/v1/discern-config.schema.json
# Written by discern 1.0.0 for "harbour".
#
#   - Read the documentation: 'discern docs'

# ─────────────────────────────────────────────────────────────────────────────
# [project]
# ─────────────────────────────────────────────────────────────────────────────

[project]
  # Free text.
  name = "Harbour Desk"
  slug = "harbour"

  gotchas_doc = "notes/map/gotchas.md"
  todo = "notes/TODO.md"
  logbook = true

  #   "claude_code" -> CLAUDE.md   "codex" -> AGENTS.md
  agents = ["claude_code", "codex", "copilot"]

[repository]
  trunk = "main"
  branch_prefix = "agent/"
  proof_notes = "local"
  ensure = [
    "npm ci",
    "npm run build:types", # fast when nothing changed
  ]

[map]
  dir = "notes/map/"

[instructions]
  sources = ["notes/instructions.md"]

[skills]
  dir = "notes/skills"
  exclude = []

[setup]
  not_applicable = []

[assurance]
  not_applicable = []

# ─────────────────────────────────────────────────────────────────────────────
# [generated.<name>]: what a generator owns
# ─────────────────────────────────────────────────────────────────────────────

[generated]

  [generated.codegen]
    paths = [
      "src/generated/**",
      "${ref('map.dir')}reference.md",
    ]
    run = "npm run codegen"
    linguist_generated = true
    # The default ten minutes are too many.
    timeout = 120

[jobs]
  format = ["prettier --write .", "discern tidy"]
  build = "npm run build && npm run size"
  lint = "eslint ."
  typecheck = "tsc --noEmit"
  # smoke   = "node dist/cli.js --version"
  test = { run = "npm test -- --reporter=${ref('HARBOUR_REPORTER:-junit')}", timeout = 1500 }
  smoke = "npm run smoke"

  # A custom job:
  # [jobs.licences]
    # stage    = "check"

  [jobs.prose]
    stage = "check"
    run = "vale --output=sarif \"${ref('map.dir')}\""
    provides = "prose lint (errors block; the rest is held by a standard)"

  [scopes.map]
    paths = [
      "${ref('map.dir')}",
      "${ref('skills.dir')}/",
      "${ref('project.todo')}",
      ".claude/skills/",
    ]
    neutral = true

  [scopes.site]
    paths = ["site/**"]
    previewable = true
    gate = "npm run site:check -- --sarif"
    timeout = 120

# [scopes.native]
  # paths = ["native/**"]

[scopes.visual]
  paths = [
    "src/components/**",
    "*.css",
  ]
  preview = "discern script serve"

[acceptance]
  pre_authorized = [] # e.g. ["map"]

[worktree]
  root = ""
  inherit_env = [] # e.g. ["APP_KEY"]
  env_files = [".env", ".env.local"]
  port = true
  ignored_file_drift = true

    # ───────────────────────────────────────────────────────────────────────
    # [worktree.resources.<name>]
    # ───────────────────────────────────────────────────────────────────────

    [worktree.resources.probe]
      create = "mkdir -p /tmp/harbour/@resource@ && printf 'dir=%s\\nport=%s\\n' '@dir@' '@port@' > /tmp/harbour/@resource@/marker"
      ensure = "test -d /tmp/harbour/@resource@"
      destroy = "rm -rf /tmp/harbour/@resource@"

    [worktree.resources.db]
      create   = "createdb -T @project_slug@_template @db@"
      destroy  = "dropdb --if-exists @db@"
      required = false # a missing database is no reason to fail
      retries  = 2
      gc       = true

  [worktree.setup]
    steps = [] # nothing to seed
    ensure = [
      "node scripts/link-private.mjs",
    ]

  [standards.coverage]
    direction = "up"
    limit = 91.7
    margin = 0.5
    run = "npm run coverage"
    timeout = 1200
    inputs = [
      "src/**",
      "package-lock.json",
    ]
    measure = "on-demand"

  [standards.prose]
    direction = "down"
    per = "prose_words"
    scale = 1000
    limit = 15.15
    run = "npm run prose \"${ref('map.dir')}\""

[standards.css_density]
  run = "[ -f dist/a.css ] || npm run build >/dev/null 2>&1; printf 'DISCERN_METRIC css_bytes %s\\n' \"$(wc -c < dist/a.css | tr -d ' ')\""
  limit = 2470.9214285714284
  direction = "down"
  metric = "css_bytes"
  per = { files = "src/components/**/*.css" }
  inputs = ["src/**", "${ref('scripts.dir')}/measure.mjs"]

[checkpoints.map-focus] # a broad change of the map
  min_changed_files = 2
[checkpoints.skills-playbook] # a skill is a playbook
[checkpoints.sensitive]
  paths = ["src/auth/**"]
  question = """
  What could leak, and what stops it?
  """

[gate]
  stream = false
  fail_fast = true
  timeout = 600
  concurrent_test_runs = 2

[coupling]
  in_gate = true

[scripts]
  dir = "tools"

[meta]
  schema_version = 1
  bootstrapped = true
  setup_model = "some model"
`;
