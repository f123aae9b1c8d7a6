import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Random } from './random.ts'

const LAUNCHER = join(import.meta.dirname, '../../packages/cli/bin/steward.mjs')
const SHIFT_CLOCK = join(import.meta.dirname, 'shift-clock.mjs')

export interface CommandOptions {
  home?: string
  /** How far this process's clock is off. */
  clockMs?: number
  /** Kill it after this time. */
  killAfterMs?: number
  /** Kill it when this is aborted. */
  kill?: AbortSignal
  /** No file may grow beyond this, as on a disk that is full. */
  maxFileBytes?: number
}

interface CommandResult {
  code: number | null
  stdout: string
  stderr: string
}

export interface Server {
  address: string
  kill: () => Promise<void>
}

interface Started {
  /** The line of JSON that it printed when it was ready. */
  announced: unknown
  kill: () => Promise<void>
}

/** One data home that faults happen to, and what was acknowledged so far. */
export interface World {
  home: string
  folder: string
  /** Titles of notes that the daemon has acknowledged. */
  notes: Set<string>
  /** Ids of hosted agents that the server has acknowledged. */
  agents: Set<string>
  /** Items that a worker of the local edge has acknowledged. */
  edgeItems: Set<string>
  run: (args: readonly string[], options?: CommandOptions) => Promise<CommandResult>
  /** Starts a command, or another script, that runs until it is killed. */
  start: (args: readonly string[], script?: string) => Promise<Started>
  serve: (args: readonly string[]) => Promise<Server>
  token: () => string
  remove: () => void
}

/** One kind of fault. Returns the violated guarantees. */
export type Fault = (world: World, random: Random, round: number) => Promise<string[]>

const announced = z.object({ address: z.string() })

export const createWorld = (env: Record<string, string> = {}): World => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-chaos-'))
  const home = join(folder, 'home')
  const children = new Set<ChildProcess>()
  const start = (
    args: readonly string[],
    options: CommandOptions = {},
    script = LAUNCHER,
  ): ChildProcess => {
    const command = [process.execPath, script, ...args]
    const { maxFileBytes, clockMs } = options
    // The signal that a too large file causes would end the process; ignored, the write fails instead.
    const limited =
      maxFileBytes === undefined
        ? command
        : [
            'sh',
            '-c',
            `trap '' XFSZ; ulimit -f ${Math.ceil(maxFileBytes / 512)}; exec "$@"`,
            'sh',
            ...command,
          ]
    const [program = '', ...rest] = limited
    const child = spawn(program, rest, {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        XDG_CACHE_HOME: process.env.XDG_CACHE_HOME ?? join(tmpdir(), 'steward-chaos-cache'),
        STEWARD_HOME: options.home ?? home,
        NODE_COMPILE_CACHE: join(tmpdir(), 'steward-chaos-compiled'),
        LLM_PROVIDER: 'offline',
        ...env,
        ...(clockMs === undefined
          ? {}
          : { CHAOS_CLOCK_MS: String(clockMs), NODE_OPTIONS: `--import=${SHIFT_CLOCK}` }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    children.add(child)
    child.once('exit', () => children.delete(child))
    return child
  }
  const untilReady = async (args: readonly string[], script?: string): Promise<Started> => {
    const child = start(args, {}, script)
    const ended = once(child, 'exit')
    let complaints = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaints = (complaints + text).slice(-2000)
    })
    const { stdout } = child
    if (stdout === null) throw new Error('no output to read')
    for await (const line of createInterface({ input: stdout })) {
      if (!line.startsWith('{')) continue
      return {
        announced: JSON.parse(line),
        kill: async () => {
          child.kill('SIGKILL')
          await ended
        },
      }
    }
    throw new Error(`${args.join(' ')} ended before it was ready: ${complaints}`)
  }
  return {
    home,
    folder,
    notes: new Set(),
    agents: new Set(),
    edgeItems: new Set(),
    run: async (args, options = {}) => {
      const child = start(args, options)
      const said = { stdout: '', stderr: '' }
      child.stdout?.setEncoding('utf8').on('data', (text: string) => {
        said.stdout += text
      })
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        said.stderr += text
      })
      const closed = once(child, 'close')
      options.kill?.addEventListener('abort', () => child.kill('SIGKILL'), { once: true })
      if (options.killAfterMs !== undefined) {
        await Promise.race([closed, sleep(options.killAfterMs)])
        child.kill('SIGKILL')
      }
      await closed
      return { code: child.exitCode, ...said }
    },
    start: untilReady,
    serve: async (args) => {
      const started = await untilReady(args)
      return { ...announced.parse(started.announced), kill: started.kill }
    },
    token: () => readFileSync(join(home, 'token'), 'utf8').trim(),
    remove: () => {
      for (const child of children) child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

export const ITEMS = 30

/** A flow that takes the items of a round to one file. */
export const writeFlow = ({ home }: World, round: number): { flow: string; output: string } => {
  const put = (path: string, text: string) => {
    const file = join(home, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  const items = Array.from({ length: ITEMS }, (_, n) => ({
    id: `${round}-${n}`,
    title: `item ${n}`,
    content: 'x'.repeat(2000),
  }))
  put(`USER/chaos/${round}.json`, JSON.stringify(items))
  put(
    'USER/ACTIONS/A_ECHO_ITEM/action.json',
    JSON.stringify({ name: 'A_ECHO_ITEM', description: 'Echo.', input: {}, output: {} }),
  )
  put(
    'USER/ACTIONS/A_ECHO_ITEM/action.mjs',
    'export const execute = async (input) => ({ ...input })\n',
  )
  put(
    'USER/PIPELINES/P_ECHO_ITEM.yaml',
    'name: P_ECHO_ITEM\ndescription: Echo.\nactions:\n  - A_ECHO_ITEM\n',
  )
  const flow = {
    id: `chaos-${round}`,
    name: 'F_CHAOS_ITEMS',
    description: 'Items to a file.',
    source: {
      type: 'file',
      path: join(home, `USER/chaos/${round}.json`),
      format: 'json',
    },
    pipeline: 'P_ECHO_ITEM',
    destination: { type: 'file', path: `chaos-${round}.jsonl` },
    schedule: { intervalMinutes: 60, enabled: true },
  }
  put('USER/FLOWS/flow-index.json', JSON.stringify({ flows: [flow] }))
  return { flow: flow.name, output: join(home, `OUTPUT/chaos-${round}.jsonl`) }
}

/** How often each item stands in the file; a line that cannot be read is an error. */
export const countItems = (file: string): Map<string, number> => {
  const counts = new Map<string, number>()
  if (!existsSync(file)) return counts
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line === '') continue
    const { item } = z.looseObject({ item: z.string() }).parse(JSON.parse(line))
    counts.set(item, (counts.get(item) ?? 0) + 1)
  }
  return counts
}
