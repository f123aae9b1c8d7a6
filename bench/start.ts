import { type StdioOptions, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { stagePackage } from '../scripts/pack/stage-package.ts'
import { benchDaemonStart } from './daemon-start.ts'
import { benchHookStarts } from './hooks.ts'

const ROUNDS = 21
const WARM_ROUNDS = 2
const BASE = 'node -e 0'

/** An assistant waits for the tools of an MCP server before its first request, or leaves them out. */
const LIST_TOOLS = [
  {
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'bench', version: '1' },
    },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list' },
]
  .map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  .join('')

/** Command lines, their maximum duration in multiples of a bare Node start, and their input. */
const TARGETS: ReadonlyArray<[args: string[], most: number, input?: string]> = [
  [['--version'], 2],
  [['statusline', '--for', 'tmux'], 2],
  [['runs'], 4],
  [['list'], 4],
  [['route', 'fix the login'], 4],
  [['security', 'try', 'ls -la'], 4],
  [['knowledge', 'list'], 4],
  [['doctor'], 10],
  [['mcp'], 10, LIST_TOOLS],
]

interface Case {
  name: string
  args: readonly string[]
  most?: number
  input?: string | undefined
}

/**
 * Everything that a person or an assistant waits for at a start: commands, hooks and the daemon.
 */
export const benchStart = async (print: (line: string) => void): Promise<void> => {
  print(
    `load average ${loadavg()
      .map((load) => load.toFixed(1))
      .join(', ')}`,
  )
  await benchCommands(print)
  print('hooks:')
  await benchHookStarts(print)
  print('daemon:')
  await benchDaemonStart(print)
}

/**
 * The wall time of commands compared with an empty Node program, alternating: in this clone, and
 * packed.
 */
const benchCommands = async (print: (line: string) => void): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-bench-start-'))
  try {
    const stage = join(folder, 'packed')
    await stagePackage(stage)
    const launchers = {
      clone: join(import.meta.dirname, '../packages/cli/bin/steward.mjs'),
      packed: join(stage, 'bin/steward.mjs'),
    }
    const cases: Case[] = [
      { name: BASE, args: ['-e', '0'] },
      ...Object.entries(launchers).flatMap(([where, launcher]) =>
        TARGETS.map(([args, most, input]) => ({
          name: `${where} ${args.join(' ')}`,
          args: [launcher, ...args],
          ...{ most, input },
        })),
      ),
    ]
    printRatios(cases, measure(cases, join(folder, 'home')), print)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Milliseconds by case. The first rounds fill the compile cache, as a person's first starts do. */
const measure = (cases: readonly Case[], home: string): Map<string, number[]> => {
  const times = new Map(cases.map(({ name }): [string, number[]] => [name, []]))
  const env = { PATH: process.env.PATH, HOME: home, STEWARD_HOME: home }
  for (let round = 0; round < WARM_ROUNDS + ROUNDS; round++) {
    for (const { name, args, input = '' } of cases) {
      const startedAt = performance.now()
      const stdio: StdioOptions = ['pipe', 'ignore', 'ignore']
      const { signal } = spawnSync(process.execPath, args, { env, stdio, input })
      if (signal !== null) throw new Error(`${name}: ended by ${signal}`)
      if (round >= WARM_ROUNDS) times.get(name)?.push(performance.now() - startedAt)
    }
  }
  return times
}

const printRatios = (
  cases: readonly Case[],
  times: ReadonlyMap<string, readonly number[]>,
  print: (line: string) => void,
): void => {
  const baseMs = medianOf(times.get(BASE) ?? [])
  print(`${BASE}: ${baseMs.toFixed(1)} ms`)
  for (const { name, most } of cases) {
    if (most === undefined) continue
    const ratio = medianOf(times.get(name) ?? []) / baseMs
    const verdict = ratio <= most ? 'ok' : 'MISSED'
    print(`${name.padEnd(28)} ${ratio.toFixed(2)} x, target ${most} x: ${verdict}`)
  }
}

const medianOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
