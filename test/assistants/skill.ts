/**
 * `npm run try:skill [-- --only TEXT --cache FOLDER --verbose]`: real Claude Code in a terminal, with
 * a scripted model that does what its request asks for and nothing else. Checks that phases, criteria,
 * the spoken line and the title of the tab appear without a manual step, with the hooks of the
 * installer and with the plugin, and that nothing appears where the context is switched off. Exits 1
 * if anything is missing. Needs tmux. Claude Code is installed from npm into the cache folder.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type AlgorithmSession, algorithmView } from '@steward/contract'
import { PHASE_LOOKS } from '@steward/notify'
import { installAssistant } from './install.ts'
import { until } from './machine.ts'
import { openScreen, type Screen } from './screen.ts'
import { follow, SPOKEN, WORK } from './skill/follow.ts'
import { startVoiceService, type VoiceService } from './skill/voice.ts'
import { claudeEnv, prepareClaude } from './subjects/claude.ts'
import { createWorld, type World } from './world.ts'

const { values } = parseArgs({
  options: {
    /** Part of a row's name, such as "2.1.325 plugin". */
    only: { type: 'string', default: '' },
    cache: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
})
const ROOT = join(import.meta.dirname, '../..')
const LAUNCHER = join(ROOT, 'packages/cli/bin/steward.mjs')
const PLUGIN = join(ROOT, 'plugin')
const cache = values.cache ?? process.env.STEWARD_ASSISTANTS ?? join(tmpdir(), 'steward-assistants')

const VERSIONS = ['claude-2.1.197', 'claude-2.1.325'] as const
const SETUPS = ['hooks', 'plugin', 'off'] as const
type Setup = (typeof SETUPS)[number]

/** About twenty requests. */
const TURN_MS = 300_000
const TASK = 'implement a date parser'
const PHASES = ['OBSERVE', 'THINK', 'PLAN', 'BUILD', 'EXECUTE', 'VERIFY', 'LEARN']

const build = spawnSync(process.execPath, ['scripts/build-hook.ts'], { cwd: ROOT })
if (build.status !== 0) throw new Error(String(build.stderr))

let failed = 0
for (const version of VERSIONS) {
  for (const setup of SETUPS) {
    const name = `${version} ${setup}`
    if (!name.includes(values.only)) continue
    const problems = await tryRow(installAssistant(cache, version), setup)
    console.log([problems.length === 0 ? 'pass' : 'FAIL', name, ...problems].join(' | '))
    if (problems.length > 0) failed += 1
  }
}
process.exit(failed === 0 ? 0 : 1)

async function tryRow(program: string, setup: Setup): Promise<string[]> {
  const voice = await startVoiceService()
  const world = await createWorld(LAUNCHER, { claude: program }, {}, '')
  let screen: Screen | undefined
  try {
    await prepare(world, voice, setup)
    world.vendor.script(TASK, (request) => follow(request, world.project))
    screen = await openClaude(world, program, setup)
    await screen.type(TASK)
    await until('the prompt is typed', async () => (await screen?.text())?.includes(TASK))
    await screen.press('Enter')
    return await watch(world, screen, voice, setup)
  } catch (thrown) {
    if (values.verbose) console.log((await screen?.text())?.replaceAll(/\n\s*\n/g, '\n'))
    return [thrown instanceof Error ? thrown.message : String(thrown)]
  } finally {
    await screen?.close()
    await world.close()
    voice.close()
  }
}

/** Everything that the README asks a person to do. */
async function prepare(world: World, voice: VoiceService, setup: Setup): Promise<void> {
  prepareClaude(world)
  if (setup === 'plugin') useDefaultHome(world)
  writeFileSync(join(world.home, '.env'), 'ELEVENLABS_API_KEY=scripted\n', { mode: 0o600 })
  writeFileSync(
    join(world.home, 'settings.json'),
    JSON.stringify({
      voice: { provider: 'elevenlabs', elevenlabs: { baseUrl: voice.address } },
      notifications: { thresholds: { waitingSeconds: 0 } },
    }),
  )
  writeFileSync(join(world.root, 'bin', 'mpg123'), '#!/bin/sh\n', { mode: 0o755 })
  await world.startDaemon()
  const steward = async (...args: string[]): Promise<void> => {
    const { code, stderr } = await world.steward(...args)
    if (code !== 0) throw new Error(stderr)
  }
  if (setup === 'off') await steward('algorithm', 'off', '--project', '.')
  if (setup !== 'plugin') await steward('hooks', 'install', '--host', 'claude', '--yes')
}

/** The plugin cannot know another one. */
function useDefaultHome({ home, user, env }: World): void {
  delete env.STEWARD_HOME
  rmSync(home, { recursive: true })
  mkdirSync(join(user, '.steward'))
  symlinkSync(join(user, '.steward'), home)
}

async function openClaude(world: World, program: string, setup: Setup): Promise<Screen> {
  const command = [
    program,
    // The work in the project is allowed; what Steward asks for must not need a permission.
    ...['--permission-mode', 'acceptEdits', '--allowedTools', `Bash(node ${WORK.file})`],
    ...(setup === 'plugin' ? ['--plugin-dir', PLUGIN] : []),
  ]
  return openScreen(world.root, command, {
    cwd: world.project,
    env: claudeEnv(world),
    ready: /\? for shortcuts|accept edits on/,
  })
}

async function watch(
  world: World,
  screen: Screen,
  voice: VoiceService,
  setup: Setup,
): Promise<string[]> {
  const titles = new Set<string>()
  const asked = new Set<string>()
  const isOver = (): boolean => voice.said.some((line) => line.includes('parser is'))
  await until(
    'the spoken line, or its first sentence',
    async () => {
      titles.add(await screen.title())
      for (const { preview } of await world.waiting()) asked.add(preview)
      if (asked.size > 0) throw new Error(`asked for permission: ${[...asked].join(', ')}`)
      return isOver()
    },
    TURN_MS,
  )
  if (setup === 'off') return await findUnwanted(world, voice)
  const session = await until('the session is complete', async () => {
    titles.add(await screen.title())
    return (await sessions(world)).find(({ currentPhase }) => currentPhase === 'COMPLETE')
  })
  if (values.verbose) console.log({ titles, said: voice.said, history: session.phaseHistory })
  return [...findMissing(session, voice.said), ...findMissingTitles([...titles])]
}

async function sessions(world: World): Promise<AlgorithmSession[]> {
  const { status, body } = await world.api('/api/algorithm')
  return status === 200 ? algorithmView.parse(JSON.parse(body)).algorithms : []
}

function findMissing(session: AlgorithmSession, said: readonly string[]): string[] {
  const history = session.phaseHistory.map(({ phase, source }) => `${phase} ${source}`)
  const wanted = [...PHASES.map((phase) => `${phase} merged`), 'COMPLETE isa']
  const criteria = session.criteria.map(({ description, status }) => `${description} ${status}`)
  return [
    ...(history.join() === wanted.join() ? [] : [`phases: ${history.join(', ')}`]),
    ...WORK.criteria
      .filter((one) => !criteria.includes(`${one} completed`))
      .map((one) => `criterion "${one}": ${criteria.join(', ')}`),
    ...PHASES.map((phase) => `Working on dates in ${phase.toLowerCase()}`)
      .concat(SPOKEN)
      .filter((line) => !said.includes(line))
      .map((line) => `not spoken: ${line}`),
  ]
}

function findMissingTitles(titles: readonly string[]): string[] {
  return Object.values(PHASE_LOOKS)
    .map(({ icon }) => icon)
    .filter((icon) => !titles.some((title) => title.startsWith(`${icon} `)))
    .map((icon) => `no title with ${icon}: ${titles.join(', ')}`)
}

async function findUnwanted(world: World, voice: VoiceService): Promise<string[]> {
  const isTold = world.vendor.lastRequestOf(TASK).includes('MEMORY/WORK')
  const withPhases = (await sessions(world)).filter(({ criteria }) => criteria.length > 0)
  return [
    ...(isTold ? ['the session was told to write a specification'] : []),
    ...(withPhases.length > 0 ? ['a specification appeared'] : []),
    ...(voice.said.includes(SPOKEN) ? ['the spoken line appeared'] : []),
  ]
}
