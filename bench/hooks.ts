import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { startDaemonProcess } from './daemon/daemon-process.ts'
import { benchWaiting } from './waiting.ts'

const ROUNDS = 40
const CALL = JSON.stringify({
  session_id: 'bench',
  hook_event_name: 'PostToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'ls -la' },
  tool_response: { stdout: 'a\nb\n', stderr: '' },
  tool_use_id: 'call',
})
const PROMPT = JSON.stringify({
  session_id: 'bench',
  hook_event_name: 'UserPromptSubmit',
  prompt: 'build a shed',
})
const GUARDED = JSON.stringify({
  session_id: 'bench',
  hook_event_name: 'PreToolUse',
  cwd: '/tmp',
  tool_name: 'Bash',
  tool_input: { command: 'cd /tmp && ls -la | head' },
})
const READ = JSON.stringify({
  session_id: 'bench',
  hook_event_name: 'PreToolUse',
  cwd: '/tmp',
  tool_name: 'Read',
  tool_input: { file_path: '/tmp/notes.md' },
})
const ASKED = JSON.stringify({
  session_id: 'bench',
  hook_event_name: 'PermissionRequest',
  tool_name: 'Bash',
  tool_input: { command: 'npm publish' },
})
const STOP = JSON.stringify({ session_id: 'bench', hook_event_name: 'Stop' })

const AGENT = JSON.stringify({
  session_id: 'bench',
  hook_event_name: 'PreToolUse',
  tool_name: 'Agent',
  tool_input: { subagent_type: 'Engineer', prompt: 'mend it' },
})
const SKILL = JSON.stringify({
  session_id: 'bench',
  hook_event_name: 'PreToolUse',
  tool_name: 'Skill',
  tool_input: { skill: 'research' },
})

/** The maximum duration of each case, in multiples of a bare Node start. */
const TARGETS: Readonly<Record<string, number>> = {
  'tool call': 1.4,
  prompt: 1.8,
  'guard, Bash': 1.8,
}

export const benchHooks = async (print: (line: string) => void): Promise<void> => {
  await benchHookStarts(print)
  compareWithBase(print)
  await benchGuards(print)
  await benchWaiting(print)
}

/** Processor time of the children that have ended, in milliseconds; Linux only. */
const childrenMs = (): number => {
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const TICK_MS = 10
  return (Number(fields[13]) + Number(fields[14])) * TICK_MS
}

/**
 * The processor time of hooks when nothing waits, compared with those of another checkout, alternating:
 * `STEWARD_BENCH_BASE=/other/packages/assistants/dist/steward-hook.mjs npm run bench hooks`.
 */
const compareWithBase = (print: (line: string) => void): void => {
  const base = process.env.STEWARD_BENCH_BASE
  if (base === undefined || process.platform !== 'linux') return
  const programs = { before: base, now: buildHook() }
  const home = mkdtempSync(join(tmpdir(), 'steward-bench-base-'))
  const cases = {
    PostToolUse: CALL,
    UserPromptSubmit: PROMPT,
    Stop: STOP,
    PermissionRequest: ASKED,
  }
  try {
    for (const [event, input] of Object.entries(cases)) {
      const spent = { before: 0, now: 0 }
      for (let round = 0; round < ROUNDS; round++) {
        for (const name of ['before', 'now'] as const) {
          const startMs = childrenMs()
          const env = { PATH: process.env.PATH, HOME: home, STEWARD_HOME: join(home, name) }
          const { status } = spawnSync(process.execPath, [programs[name], event], { input, env })
          if (status !== 0) throw new Error(`${event} of ${programs[name]} failed`)
          // The first run compiles.
          if (round > 0) spent[name] += childrenMs() - startMs
        }
      }
      const each = (ms: number): string => (ms / (ROUNDS - 1)).toFixed(1)
      print(
        `${event.padEnd(17)} ${each(spent.now)} ms of processor time, before ${each(spent.before)} ms: ${(spent.now / spent.before).toFixed(2)} x`,
      )
    }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

const buildHook = (): string => {
  const built = spawnSync(process.execPath, ['scripts/build-hook.ts'], { encoding: 'utf8' })
  if (built.status !== 0) throw new Error(built.stderr)
  return built.stdout.trim()
}

/** The wall time of a hook compared with an empty Node program, alternating. */
export const benchHookStarts = async (print: (line: string) => void): Promise<void> => {
  const program = buildHook()
  const home = mkdtempSync(join(tmpdir(), 'steward-bench-hooks-'))
  const run = (args: readonly string[], input: string): number => {
    const startedAt = performance.now()
    const env = { PATH: process.env.PATH, HOME: home, STEWARD_HOME: home }
    const { status, stderr } = spawnSync(process.execPath, args, { input, env, encoding: 'utf8' })
    if (status !== 0 || stderr !== '') throw new Error(`${args.join(' ')}: ${stderr}`)
    return performance.now() - startedAt
  }
  const cases: Record<string, { args: readonly string[]; input: string }> = {
    'node -e 0': { args: ['-e', '0'], input: '' },
    'tool call': { args: [program, 'PostToolUse'], input: CALL },
    prompt: { args: [program, 'UserPromptSubmit'], input: PROMPT },
    'guard, Bash': { args: [program, 'PreToolUse', '--guard'], input: GUARDED },
    'guard, Read': { args: [program, 'PreToolUse', '--guard'], input: READ },
    stop: { args: [program, 'Stop'], input: STOP },
  }
  const times = new Map(Object.keys(cases).map((name): [string, number[]] => [name, []]))
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, { args, input }] of Object.entries(cases)) {
        times.get(name)?.push(run(args, input))
      }
    }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
  const baseMs = medianOf(times.get('node -e 0') ?? [])
  for (const [name, taken] of times) {
    const ms = medianOf(taken)
    const most = TARGETS[name]
    const verdict =
      most === undefined ? '' : `, target ${most} x: ${ms / baseMs <= most ? 'ok' : 'MISSED'}`
    const added = (ms - baseMs).toFixed(1)
    const ratio = (ms / baseMs).toFixed(2)
    print(
      `${name.padEnd(12)} ${ms.toFixed(1)} ms, ${ratio} x node -e 0, ${added} ms added${verdict}`,
    )
  }
  for (const name of ['steward-hook-program.js', 'steward-hook-guard.js']) {
    const bytes = statSync(join(dirname(program), name)).size
    print(`${name} is ${(bytes / 1024).toFixed(0)} KB`)
  }
}

const CALLS = 300

/** A round trip to each guard of a daemon compared with /health, alternating. */
const benchGuards = async (print: (line: string) => void): Promise<void> => {
  const home = mkdtempSync(join(tmpdir(), 'steward-bench-guards-'))
  const daemon = await startDaemonProcess(home)
  const times = new Map<string, number[]>()
  const ask = async (path: string, body?: string): Promise<void> => {
    const startedAt = performance.now()
    const headers = { 'content-type': 'application/json' }
    const init = body === undefined ? {} : { method: 'POST', headers, body }
    await (await fetch(`${daemon.address}${path}`, init)).text()
    times.set(path, [...(times.get(path) ?? []), performance.now() - startedAt])
  }
  try {
    for (let round = 0; round < CALLS; round++) {
      await ask('/health')
      await ask('/hooks/security-guard?host=claude', GUARDED)
      await ask('/hooks/agent-guard?host=claude', AGENT)
      await ask('/hooks/skill-guard?host=claude', SKILL)
    }
  } finally {
    await daemon.stop()
    rmSync(home, { recursive: true, force: true })
  }
  const baseMs = medianOf(times.get('/health') ?? [])
  for (const [path, taken] of times) {
    const ms = medianOf(taken)
    print(`${path.padEnd(34)} ${ms.toFixed(2)} ms, ${(ms / baseMs).toFixed(2)} x /health`)
  }
}

const medianOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
