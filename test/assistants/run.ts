/**
 * `npm run try:assistants [-- --only TEXT --cache FOLDER --list]`: real assistants with a scripted
 * model ask for permissions and answers, which are given through the API, the command line, the
 * button of a push and the page of the relay on a phone, in every order that may go wrong. Prints a
 * table; exits 1 if anything is lost, doubled or wrongly allowed. Needs tmux and a browser.
 * Assistants are installed from npm into the cache folder, in the versions of `install.ts`.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bundlePhonePage } from '../../packages/edge/src/build/phone-page.ts'
import { startWorkers, TOKEN } from '../../packages/edge/src/local/testing/start-workers.ts'
import { stagePackage } from '../../scripts/pack/stage-package.ts'
import { openBrowser } from '../e2e/voice-browser.ts'
import { installAssistant, PINNED, type Pinned } from './install.ts'
import { play, SCENES, type SceneName } from './scenes.ts'
import type { Kind, Session, Subject } from './subject.ts'
import { claudeSubjects, prepareClaude } from './subjects/claude.ts'
import { codexSubject, prepareCodex } from './subjects/codex.ts'
import { opencodeSubjects, prepareOpencode } from './subjects/opencode.ts'
import { throughApi, throughButtons, throughCommand, throughRelay, type Way } from './ways.ts'
import { createWorld, type World } from './world.ts'

const { values } = parseArgs({
  options: {
    /** Part of a row's name, such as "codex", "terminal permission" or "relay"; several are possible. */
    only: { type: 'string', multiple: true, default: [] },
    cache: { type: 'string' },
    list: { type: 'boolean', default: false },
    /** Shows what the assistant said when a row fails. */
    verbose: { type: 'boolean', default: false },
  },
})
const cache = values.cache ?? process.env.STEWARD_ASSISTANTS ?? join(tmpdir(), 'steward-assistants')

const WAYS = ['api', 'command', 'button', 'relay'] as const
type WayName = (typeof WAYS)[number]

interface Row {
  subject: Subject
  kind: Kind
  way: WayName
  scene: SceneName
}
const nameOf = ({ subject, kind, way, scene }: Row): string =>
  `${subject.name} ${subject.mode} ${kind} ${way} ${scene}`

const HARD: readonly SceneName[] = ['both at once', 'daemon killed', 'expired']

/** Every order through every way for permissions; questions in every order, and through every way. */
const rowsOf = (subject: Subject): Row[] => {
  const { steps, mode, hidesPrompt } = subject
  const machine: SceneName[] =
    mode.startsWith('print') || hidesPrompt ? [] : ['terminal first, yes', 'terminal first, no']
  const rows = (kind: Kind, ways: readonly WayName[], scenes: readonly SceneName[]): Row[] =>
    steps[kind] === undefined
      ? []
      : ways.flatMap((way) => scenes.map((scene) => ({ subject, kind, way, scene })))
  return [
    ...rows('permission', ['api', 'button', 'relay'], ['replayed', 'forged', ...machine, ...HARD]),
    ...rows('permission', ['command'], ['answered']),
    ...rows('tool', ['api'], ['forged', subject.decidesTools ? 'own prompt decides' : 'answered']),
    ...rows('question', ['api', 'command', 'button', 'relay'], ['answered']),
    ...rows('question', ['button'], [...machine, ...HARD]),
    ...rows('form', ['api', 'relay'], ['answered']),
    ...rows('plan', ['api', 'button', 'relay'], ['answered']),
  ]
}

const installed = (name: Pinned): string => installAssistant(cache, name)
const subjectsOf = (name: Pinned, program: string): Subject[] => {
  const [, version, command] = PINNED[name]
  if (command === 'claude') return claudeSubjects(version, program)
  return command === 'codex' ? [codexSubject(version, program)] : opencodeSubjects(version, program)
}

const NAMES = ['claude-2.1.197', 'claude-2.1.325', 'codex-0.166.0', 'opencode-1.18.18'] as const
const isWanted = (row: Row): boolean =>
  values.only.length === 0 ||
  values.only.some((text) => text.split(' ').every((word) => nameOf(row).includes(word)))
const wanted = NAMES.flatMap((name) => {
  const subjects = subjectsOf(name, '').filter((subject) => rowsOf(subject).some(isWanted))
  if (subjects.length === 0 || values.list) return subjects
  const modes = new Set(subjects.map(({ mode }) => mode))
  return subjectsOf(name, installed(name)).filter(({ mode }) => modes.has(mode))
})
if (values.list) {
  for (const row of wanted.flatMap(rowsOf).filter(isWanted)) console.log(nameOf(row))
  process.exit()
}

// What a signal would leave behind ends with this process: workerd, the browser, and see `createWorld`.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => process.exit(128 + constants.signals[signal]))
}
const storage = mkdtempSync(join(tmpdir(), 'steward-relay-'))
const stage = mkdtempSync(join(tmpdir(), 'steward-packed-'))
process.once('exit', () => {
  for (const folder of [storage, stage]) rmSync(folder, { recursive: true, force: true })
})
await stagePackage(stage)
const files = JSON.stringify(await bundlePhonePage())
const workers = await startWorkers(
  [
    {
      name: 'RELAY',
      entry: `export const Relay = edge.createRelayClass()
        export default edge.createRelayWorker(${files})`,
      options: { durableObjects: { RELAY: { className: 'Relay', useSQLite: true } } },
    },
  ],
  storage,
)
const relay = new URL((await workers.call('RELAY', '/health')).url).origin
const world = await createWorld(
  join(stage, 'bin/steward.mjs'),
  {
    claude: installed('claude-2.1.325'),
    codex: installed('codex-0.166.0'),
    opencode: installed('opencode-1.18.18'),
  },
  { workers: { 'exec-relay': relay } },
  TOKEN,
)
const browser = await openBrowser()
const failed: string[] = []
let passed = 0
try {
  const ways = await openWays(world)
  for (const subject of wanted) {
    const rows = rowsOf(subject).filter(isWanted)
    let session: Session | undefined
    for (const row of rows) {
      session = await tryRow(row, session, ways[row.way])
    }
    await session?.close()
  }
} finally {
  await browser.close()
  await world.close()
  await workers.stop()
}
console.log(`\n${passed} of ${passed + failed.length} passed`)
for (const each of failed) console.log(`failed: ${each}`)
process.exit(failed.length === 0 ? 0 : 1)

async function openWays(on: World): Promise<Record<WayName, Way>> {
  prepareClaude(on)
  prepareCodex(on)
  prepareOpencode(on)
  mkdirSync(on.project, { recursive: true })
  await on.startDaemon()
  const { code, stderr } = await on.steward('hooks', 'install', '--yes')
  if (code !== 0) throw new Error(stderr)
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
  const page = await (await browser.newContext(phone)).newPage()
  page.setDefaultTimeout(30_000)
  return {
    api: throughApi(on),
    command: throughCommand(on),
    button: await throughButtons(on),
    relay: await throughRelay(on, page),
  }
}

/** Returns the session for the next row; undefined after a failure, which must not spoil it. */
async function tryRow(row: Row, open: Session | undefined, way: Way): Promise<Session | undefined> {
  const { subject, kind, scene } = row
  const startedMs = performance.now()
  world.configure(scene === 'expired' ? { waitSeconds: 10, hiddenPromptSeconds: 10 } : {})
  let session = open
  let problem = ''
  try {
    session ??= await subject.open(world)
    await play({ world, subject, session, way }, kind, SCENES[scene])
  } catch (thrown) {
    problem = thrown instanceof Error ? thrown.message : String(thrown)
    if (values.verbose) console.log((await session?.seen())?.replaceAll(/\n\s*\n/g, '\n'))
    await session?.close()
    session = undefined
  }
  const took = `${((performance.now() - startedMs) / 1000).toFixed(1)} s`
  console.log([problem === '' ? 'pass' : 'FAIL', nameOf(row), took, problem].join(' | '))
  if (problem === '') passed++
  else failed.push(`${nameOf(row)}: ${problem}`)
  return session
}
