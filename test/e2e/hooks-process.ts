import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

export interface HookOutcome {
  code: number | null
  stdout: string
  stderr: string
  wallMs: number
}

export interface HookHome {
  home: string
  /** Runs the bundled hook as a host does; `<event> --guard` runs the guard. */
  fire: (event: string, payload: unknown, host?: string) => Promise<HookOutcome>
  fireText: (event: string, text: string, host?: string) => Promise<HookOutcome>
  /** The rows of a log; fails on a truncated line. */
  rows: (log: string) => Array<Record<string, unknown>>
  /** The number of hooks that are still running. */
  running: () => number
  remove: () => void
}

/** Builds the hook program as the installer does; returns its path. */
export const buildHook = (): string => {
  const built = spawnSync(process.execPath, [join(ROOT, 'scripts/build-hook.ts')], {
    encoding: 'utf8',
  })
  if (built.status !== 0) throw new Error(built.stderr)
  return built.stdout.trim()
}

export const createHookHome = (
  program: string,
  home: string = mkdtempSync(join(tmpdir(), 'steward-hooks-')),
  node = process.execPath,
): HookHome => {
  const alive = new Set<ChildProcess>()
  const fireText: HookHome['fireText'] = (event, text, host = 'claude') =>
    new Promise((resolve, reject) => {
      const startedAt = performance.now()
      const child = spawn(node, [program, ...event.split(' '), '--host', host], {
        env: { PATH: process.env.PATH, HOME: home, STEWARD_HOME: home },
      })
      alive.add(child)
      let [stdout, stderr] = ['', '']
      child.stdout.on('data', (chunk) => {
        stdout += chunk
      })
      child.stderr.on('data', (chunk) => {
        stderr += chunk
      })
      child.once('error', reject)
      child.once('close', (code) => {
        alive.delete(child)
        resolve({ code, stdout, stderr, wallMs: performance.now() - startedAt })
      })
      // The hook may stop reading an invalid payload.
      child.stdin.once('error', () => child.stdin.destroy())
      child.stdin.end(text)
    })
  return {
    home,
    fireText,
    fire: (event, payload, host) => fireText(event, JSON.stringify(payload), host),
    rows: (log) => {
      const path = join(home, 'MEMORY/OBSERVABILITY', `${log}.jsonl`)
      if (!existsSync(path)) return []
      const lines = readFileSync(path, 'utf8').split('\n')
      if (lines.pop() !== '') throw new Error(`${log} ends in the middle of a row`)
      // An empty line is not a row: a writer that sees another's partial row starts with a line
      // break.
      return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
    },
    running: () => alive.size,
    remove: () => rmSync(home, { recursive: true, force: true }),
  }
}

export const toolCall = (id: string, more: object = {}) => ({
  session_id: 's1',
  hook_event_name: 'PostToolUse',
  cwd: '/tmp',
  tool_name: 'Bash',
  tool_input: { command: `echo ${id}` },
  tool_response: { stdout: id, stderr: '' },
  tool_use_id: id,
  ...more,
})
