/**
 * `node bench/hooks-storm.ts [rounds] [at once]`: many concurrent hooks, then checks for every row.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { buildHook, createHookHome, toolCall } from '../test/e2e/hooks-process.ts'

const ROUNDS = Number(process.argv[2] ?? 100)
const AT_ONCE = Number(process.argv[3] ?? 50)

/** Processes with this data home; if the system does not report them, those we started. */
const countRunning = (home: string, started: () => number): number => {
  if (process.platform !== 'linux') return started()
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`STEWARD_HOME=${home}`)
    } catch (thrown) {
      if (thrown instanceof Error && 'code' in thrown) return false
      throw thrown
    }
  }).length
}

const program = buildHook()
const hooks = createHookHome(program)
const expected = new Map<string, number>()
const slow: number[] = []
let faults = 0
try {
  const startedAt = performance.now()
  for (let round = 0; round < ROUNDS; round++) {
    const outcomes = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => {
        const id = `${round}-${index}`
        const event = index % 5 === 0 ? 'PostToolUseFailure' : 'PostToolUse'
        expected.set(id, 0)
        // Longer than a page of the log, so that a torn write would show.
        const command = id.repeat(400)
        return hooks.fire(
          event,
          toolCall(id, {
            hook_event_name: event,
            session_id: `s${index % 7}`,
            tool_input: { command },
            error: command,
          }),
        )
      }),
    )
    faults += outcomes.filter(({ code, stderr }) => code !== 0 || stderr !== '').length
    slow.push(Math.max(...outcomes.map(({ wallMs }) => wallMs)))
  }
  const seconds = (performance.now() - startedAt) / 1000
  const rows = [...hooks.rows('tool-activity'), ...hooks.rows('tool-failures')]
  for (const { tool_use_id } of rows) {
    const id = String(tool_use_id)
    expected.set(id, (expected.get(id) ?? 0) + 1)
  }
  const counts = [...expected.values()]
  const lost = counts.filter((count) => count === 0).length
  const doubled = counts.filter((count) => count > 1).length
  const leaked = countRunning(hooks.home, hooks.running)
  console.log(`${expected.size} hooks, ${AT_ONCE} at once: ${seconds.toFixed(0)} s`)
  console.log(`rows ${rows.length}, lost ${lost}, doubled ${doubled}, torn 0, faults ${faults}`)
  console.log(`processes left: ${leaked}; slowest of a round ${Math.max(...slow).toFixed(0)} ms`)
  process.exitCode = lost + doubled + faults + leaked === 0 ? 0 : 1
} finally {
  hooks.remove()
}
