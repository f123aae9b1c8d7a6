import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { installStandIn } from '../../../packages/assistants/src/acp/testing/install-stand-in.ts'
import { startStandInMessages } from '../stand-in-messages.ts'
import { allowRequests } from './allow-requests.ts'
import { openDigest } from './digest-stage.ts'
import { addClaude, type OpenStage, openPhone, type Stage, TUTORIAL_STAGES } from './stages.ts'

const DAEMON = 'steward service install'
const docs = join(import.meta.dirname, '../../../docs')

const write = (home: string, files: Readonly<Record<string, string>>): void => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), text)
  }
}

/** A stage with these files in the home folder. */
const having =
  (files: Readonly<Record<string, string>>, stage: Stage = {}): OpenStage =>
  async (home) => {
    write(home, files)
    return stage
  }

/** The code block of a page that contains a text, as its file has it. */
const blockOf = (page: string, text: string): string => {
  const blocks = readFileSync(join(docs, page), 'utf8').matchAll(/^```\w+\n(.*?)^```$/gms)
  const found = [...blocks].find(([, body = '']) => body.includes(text))?.[1]
  if (found === undefined) throw new Error(`${page} has no block with ${text}`)
  return found
}

const ARTICLE =
  'Tea is a drink. It comes from a plant. Many people like it in the afternoon. '.repeat(3)
const COUNT_WORDS = '.steward/USER/ACTIONS/A_COUNT_WORDS'

/** A session of Claude Code has ended. */
const withSession = async (home: string): Promise<Stage> => {
  addClaude(home)
  return {
    before: `${DAEMON}\nsteward hooks install --host claude --yes\nclaude -p "List the files in this folder"`,
  }
}

const REPOSITORY = (folder: string): string => `mkdir -p ${folder}
git -C ${folder} init --quiet
echo '{ "scripts": { "test": "node --version" } }' > ${folder}/package.json
git -C ${folder} add package.json
git -C ${folder} -c user.name=Ada -c user.email=ada@example.com commit --quiet -m "Begin"`

/** A phone, and the daemon. */
const withPhone: OpenStage = async (home) => ({ ...(await openPhone(home)), before: DAEMON })

/** Assistants as workers, and a repository to work in. */
const withWorkers: OpenStage = async (home, port) => {
  const written = '{ "scripts": { "test": "node --version" }, "dependencies": { "tea": "2" } }'
  for (const [assistant, cost] of [
    ['claude', '\ncost 0.017'],
    ['codex', ''],
  ] as const) {
    const script = `write package.json ${written}\nsay All dependencies are up to date.${cost}`
    await installStandIn(assistant, { root: join(home, '.steward'), script })
  }
  const folders = [REPOSITORY('~/site'), REPOSITORY('~/projects/mine'), 'cd ~/projects/mine']
  return { before: [DAEMON, ...folders].join('\n'), person: allowRequests(home, port) }
}

/** A model that uses a tool and then says so, and the files of the page. */
const withModel: OpenStage = async (home) => {
  write(home, {
    'review.md': 'Review changes.\n',
    'agent.yaml': blockOf('hosted.md', 'model: claude-sonnet-5-5'),
  })
  const command = "printf 'Brass tongue, patient key' > /mnt/session/outputs/haiku.txt"
  const model = await startStandInMessages(({ messages }) =>
    JSON.stringify(messages.at(-1)).includes('tool_result')
      ? { type: 'text', text: 'It is in haiku.txt.' }
      : { type: 'tool_use', name: 'bash', input: { command } },
  )
  return {
    env: { LLM_PROVIDER: 'anthropic', LLM_BASE_URL: model.address, LLM_API_KEY: 'sk-stand-in' },
    close: model.stop,
  }
}

const DAY_MS = 24 * 60 * 60_000

/** Sessions of yesterday and today, the second with a model whose price is not known. */
const usageRecords = (): Readonly<Record<string, string>> => {
  const record = (session: string, ageMs: number, model: string, usage: object) => {
    const timestamp = new Date(Date.now() - ageMs).toISOString()
    const message = { id: `msg_${session}`, model, content: [], usage }
    const row = { type: 'assistant', sessionId: session, cwd: '/work/shop', timestamp, message }
    return [`.claude/projects/-work-shop/${session}.jsonl`, `${JSON.stringify(row)}\n`]
  }
  const yesterday = {
    input_tokens: 500_000,
    output_tokens: 100_000,
    cache_read_input_tokens: 12_400_000,
    cache_creation_input_tokens: 1_100_000,
  }
  return Object.fromEntries([
    record('7d0e4a52-0000-4000-8000-000000000001', DAY_MS, 'claude-opus-5-5', yesterday),
    record('7d0e4a52-0000-4000-8000-000000000002', 0, 'model-of-tomorrow', {
      input_tokens: 2_500_000,
      output_tokens: 9900,
    }),
  ])
}

/** One session at work. */
const workState = (slug: string): string => {
  const now = new Date().toISOString()
  const entry = { task: 'Build the roof', mode: 'starting', phase: 'plan', progress: '0/1' }
  return JSON.stringify({ sessions: { [slug]: { ...entry, started: now, updatedAt: now } } })
}

const GUIDE_STAGES: Readonly<Record<string, OpenStage>> = {
  'actions.md': having({
    [`${COUNT_WORDS}/action.json`]: blockOf('actions.md', '"words": { "type": "integer" }'),
    [`${COUNT_WORDS}/action.ts`]: blockOf('actions.md', 'words: content.split'),
    [`${COUNT_WORDS}/action.test.ts`]: blockOf('actions.md', "test('counts words'"),
  }),
  'agents.md': having({}, { env: { EDITOR: 'true' } }),
  'announcements.md': having(
    {
      '.claude/skills/Research/SKILL.md': '# Research\n\n## Workflows\n\n- Workflows/Extract.md\n',
      '.claude/skills/Research/Workflows/Extract.md': '# Extract\n',
      'last-message.md': 'The roof is built.\n',
      '.steward/MEMORY/STATE/work.json': workState('20260307-150400_roof'),
    },
    { before: DAEMON, env: { SLUG: '20260307-150400_roof', SESSION_ID: 'a-session' } },
  ),
  'answers.md': withPhone,
  'assistant.md': having({}, { before: DAEMON }),
  'assistants-as-workers.md': withWorkers,
  'backup.md': having(
    {},
    {
      before: 'steward trigger F_SAMPLE_DIGEST',
      fill: { FILE: '"$(ls ~/backups/*.tar.gz | tail -1)"' },
    },
  ),
  'cli.md': having({
    'article.json': JSON.stringify({ content: ARTICLE }),
    'article.md': ARTICLE,
  }),
  'dashboard.md': having({}, { before: DAEMON }),
  'events.md': having({}, { before: DAEMON }),
  'flows.md': having(
    { 'item.json': JSON.stringify({ title: 'A test', content: ARTICLE }) },
    {
      before:
        'steward new flow F_NEWS_DIGEST --pipeline P_ARTICLE_DIGEST\nsteward new flow F_MY_NOTES',
    },
  ),
  'hooks.md': async (home) => {
    addClaude(home)
    return { before: `${REPOSITORY('~/projects/site')}` }
  },
  'hosted.md': withModel,
  'knowledge.md': having(
    {
      'notes.md': 'Wait longer after each failure.\n',
      'Notes/Tea.md': '# Tea\n\nGreen or black.\n',
    },
    { before: DAEMON, env: { EDITOR: 'true' } },
  ),
  'learning.md': having({ 'notes.md': 'Wait longer after each failure.\n' }),
  'moving-from-lifeos.md': having(
    {
      '.claude/settings.json': JSON.stringify({ principal: { name: 'Ada' } }),
      '.claude/PAI/MEMORY/KNOWLEDGE/Ideas/tea.md': '---\ntitle: Tea\nquality: 6\n---\n\nGreen.\n',
    },
    { before: DAEMON },
  ),
  'notifications.md': withPhone,
  'operations.md': having({}, { fill: { FILE: '"$(ls ~/backups/*.tar.gz | tail -1)"' } }),
  'phone.md': withPhone,
  'runs.md': having({}, { before: `${DAEMON}\nsteward trigger F_SAMPLE_DIGEST` }),
  'sessions.md': withSession,
  'usage.md': async (home) => {
    write(home, usageRecords())
    return withSession(home)
  },
  'voice.md': having({}, { before: DAEMON }),
  'watchdog.md': withSession,
}

const DEPENDENCIES = `write package.json ${JSON.stringify({ scripts: { test: 'node --version' } })}
say The dependencies are up to date.`

/** A project of the person, unless the README is followed in a clone. */
const withProject: OpenStage = async (home, port) => {
  addClaude(home)
  await installStandIn('claude', { root: join(home, '.steward'), script: DEPENDENCIES })
  write(home, { 'project/README.md': ARTICLE })
  return {
    before: `test -e packages || { ${REPOSITORY('~/project').replaceAll('\n', '\n  ')}\n  cd ~/project; }`,
    person: allowRequests(home, port),
  }
}

/** By page; the others need nothing from outside. */
export const STAGES: Readonly<Record<string, OpenStage>> = {
  ...TUTORIAL_STAGES,
  ...GUIDE_STAGES,
  'README.md': withProject,
  'tutorial-digest.md': openDigest,
}
