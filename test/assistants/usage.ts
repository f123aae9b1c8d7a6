/**
 * `npm run try:usage [-- --assistants claude,codex] [--tools FOLDER] [--keep] [--record FOLDER]`: real
 * assistants against a scripted vendor whose usage is known, with a resume, a subagent, a killed
 * assistant and daemon, forks and a summary; their telemetry is sent to the daemon as well. Prints each turn and, after each
 * session, what the vendor billed and what the ledger has, by model; all of it again at the end, and
 * exits 1 if they differ then. Installs missing assistants into the folder of tools. `--record` stores what
 * the assistants wrote, without most of its text, and what the vendor billed.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { usageReport } from '@steward/contract'
import { decide, PROGRAMS, type Program, type Turn, type Way } from './usage/programs.ts'
import { recordHome } from './usage/record-home.ts'
import { type Billed, startVendor } from './usage/vendor.ts'

const { values } = parseArgs({
  options: {
    assistants: { type: 'string', default: Object.keys(PROGRAMS).join(',') },
    tools: { type: 'string', default: join(tmpdir(), 'steward-try-usage') },
    keep: { type: 'boolean', default: false },
    record: { type: 'string' },
  },
})
const LAUNCHER = join(import.meta.dirname, '../../packages/cli/bin/steward.mjs')
const TURN_MS = 120_000
const MOST_TRIES = 50
const PARTS = ['resumed', 'delegated', 'killed', 'forked', 'compacted']

const root = mkdtempSync(join(tmpdir(), 'try-usage-'))
const vendor = await startVendor(decide)

const install = (packages: readonly string[]): void => {
  mkdirSync(values.tools, { recursive: true })
  if (!existsSync(join(values.tools, 'package.json')))
    writeFileSync(join(values.tools, 'package.json'), '{"private":true}')
  console.log(`installing ${packages.join(', ')}…`)
  const args = ['install', '--no-audit', '--no-fund', '--save-exact', ...packages]
  const { status } = spawnSync('npm', args, { cwd: values.tools, stdio: 'inherit' })
  if (status !== 0) throw new Error('npm install failed')
}

const environment = (extra: Record<string, string>): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: root,
  TERM: 'xterm',
  ...extra,
})

/** Runs one turn; resolves to what it printed. */
const turn = async (
  name: string,
  program: Program,
  session: string,
  asked: Turn,
): Promise<string> => {
  const { prompt } = asked
  const cwd = join(root, 'work', session)
  mkdirSync(cwd, { recursive: true })
  const place = { home: root, cwd, address: vendor.addressOf(session), otlp }
  program.configure(place)
  const bin = join(values.tools, 'node_modules/.bin', program.bin)
  const child = spawn(bin, program.args(asked), {
    cwd,
    env: environment(program.environment(place)),
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own helpers are killed with it.
    detached: true,
  })
  const killAll = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
  const late = setTimeout(() => {
    console.error(`${name}: no answer to "${prompt}" in time`)
    killAll()
  }, TURN_MS)
  // Claude Code writes its transcript a moment later; what it never wrote cannot be counted.
  if (prompt.includes('HANG')) {
    void vendor.hangs(session).then(async () => {
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        if (await isEqual(session)) break
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
      killAll()
    })
  }
  let output = ''
  let errors = ''
  child.stdout.on('data', (chunk) => (output += String(chunk)))
  child.stderr.on('data', (chunk) => (errors += String(chunk)))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  clearTimeout(late)
  if (code !== 0 && !prompt.includes('HANG'))
    console.error(`${name} ended with ${code}: ${errors.slice(-500)}${output.slice(-500)}`)
  return output
}

interface Daemon {
  process: ChildProcess
  address: string
}

const startDaemon = async (port = '0'): Promise<Daemon> => {
  const child = spawn(process.execPath, [LAUNCHER, 'daemon', '--json', '--port', port], {
    env: environment({ STEWARD_HOME: join(root, 'steward'), LLM_PROVIDER: 'offline' }),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('{')) {
      const said: unknown = JSON.parse(line)
      const address = typeof said === 'object' && said !== null && 'address' in said && said.address
      return { process: child, address: String(address) }
    }
  }
  throw new Error('the daemon did not start')
}

const stopDaemon = async ({ process: child }: Daemon, signal: NodeJS.Signals): Promise<void> => {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  await ended
}

type Counts = Pick<Billed, 'input' | 'output' | 'cacheRead' | 'cacheWrite'>

const billedTo = (session: string): Map<string, Counts> => {
  const sums = new Map<string, Counts>()
  for (const each of vendor.billed) {
    // OpenCode records no message for the title that it asks for.
    if (each.session !== session || each.isTitle) continue
    const before = sums.get(each.model) ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
    sums.set(each.model, {
      input: before.input + each.input,
      output: before.output + each.output,
      cacheRead: before.cacheRead + each.cacheRead,
      cacheWrite: before.cacheWrite + each.cacheWrite,
    })
  }
  return sums
}

const askLedger = async (query: Record<string, string>) => {
  const response = await fetch(`${otlp}/api/usage?${new URLSearchParams(query)}`)
  return usageReport.parse(await response.json())
}

const show = ({ input, output, cacheRead, cacheWrite }: Counts): string =>
  [input, output, cacheRead, cacheWrite].join('/')
const NONE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

/** What the vendor billed for a session and what the ledger has, by model. */
const pair = async (session: string): Promise<Array<[model: string, string, string]>> => {
  const { rows } = await askLedger({ by: 'model', project: session })
  const billed = billedTo(session)
  const models = new Set([...billed.keys(), ...rows.map(({ key }) => key)])
  return [...models].map((model) => {
    const row = rows.find(({ key }) => key === model)
    const found = row && {
      input: row.input_tokens,
      output: row.output_tokens,
      cacheRead: row.cache_read_tokens,
      cacheWrite: row.cache_write_tokens,
    }
    return [model, show(billed.get(model) ?? NONE), show(found ?? NONE)]
  })
}
const isEqual = async (session: string): Promise<boolean> =>
  (await pair(session)).every(([, billed, found]) => billed === found)

/** Prints a session; the number of differences. */
const compare = async (session: string): Promise<number> => {
  const { rows } = await askLedger({ by: 'session', project: session })
  let differences = 0
  for (const [model, billed, found] of await pair(session)) {
    // Two copies of a session.
    const isSame = billed === found && rows.length === (session.endsWith('-forked') ? 3 : 1)
    if (!isSame) differences += 1
    const names = [session, model].map((each) => each.padEnd(20))
    const counts = [billed, found].map((each) => each.padEnd(22))
    const end = `${rows.length}         ${isSame ? 'equal' : 'DIFFERS'}`
    console.log([...names, ...counts, end].join(''))
  }
  return differences
}

const clock = (): string => new Date().toISOString().slice(11, 19)

const names = values.assistants.split(',')
const missing = names.flatMap((name) => {
  const program = PROGRAMS[name]
  if (program === undefined) throw new Error(`${name} is unknown`)
  return existsSync(join(values.tools, 'node_modules/.bin', program.bin)) ? [] : [program.install]
})
if (missing.length > 0) install(missing)

let daemon = await startDaemon()
const otlp = daemon.address
let differences = 0
try {
  for (const name of names) {
    const program = PROGRAMS[name]
    if (program === undefined) continue
    const play = async (
      session: string,
      [first = '', ...others]: readonly string[],
      way: Way = 'resume',
    ): Promise<void> => {
      if (!program.ways.includes(way)) return
      console.log(`${clock()} ${session}: ${first}`)
      const id = program.sessionIn(await turn(name, program, session, { prompt: first }))
      if (id === undefined) throw new Error(`${session} has no session`)
      for (const prompt of others) {
        console.log(`${clock()} ${session}: ${prompt}`)
        await turn(name, program, session, { prompt, before: { session: id, way } })
      }
    }
    await play(`${name}-resumed`, ['HELLO', 'use a TOOL', 'HELLO again'])
    await stopDaemon(daemon, 'SIGKILL')
    await play(`${name}-delegated`, ['please DELEGATE'])
    daemon = await startDaemon(new URL(otlp).port)
    for (const part of ['resumed', 'delegated']) await compare(`${name}-${part}`)
    await play(`${name}-killed`, ['HELLO', 'HANG up', 'HELLO again'])
    await compare(`${name}-killed`)
    await play(`${name}-forked`, ['HELLO', 'HELLO to a copy', 'HELLO to another'], 'fork')
    await compare(`${name}-forked`)
    await play(`${name}-compacted`, ['HELLO', 'HELLO again', 'HELLO once more'], 'compact')
    await compare(`${name}-compacted`)
  }
  const head = ['session', 'model'].map((each) => each.padEnd(20))
  const sides = ['vendor in/out/cr/cw', 'ledger'].map((each) => each.padEnd(22))
  console.log([...head, ...sides, 'sessions'].join(''))
  for (const name of names) {
    for (const part of PARTS) {
      differences += await compare(`${name}-${part}`)
    }
  }
  const titles = vendor.billed.filter(({ isTitle }) => isTitle).length
  if (values.record !== undefined) {
    for (const name of names) {
      const parts = PARTS.map((part) => `${name}-${part}`)
      const sessions = parts.map((session) => [session, Object.fromEntries(billedTo(session))])
      recordHome(name, root, join(values.record, name), Object.fromEntries(sessions))
    }
  }
  if (titles > 0) console.log(`${titles} requests for titles, which OpenCode does not record`)
} finally {
  await stopDaemon(daemon, 'SIGTERM')
  await vendor.stop()
  if (values.keep) console.log(`kept ${root}`)
  else rmSync(root, { recursive: true, force: true })
}
process.exit(differences === 0 ? 0 : 1)
