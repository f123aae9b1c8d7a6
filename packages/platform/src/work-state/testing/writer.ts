import { createRedactor } from '../../redaction/redactor.ts'
import { updateWorkState } from '../work-state-file.ts'

/** Child program: increments its own entry in the file, and prints each acknowledged number. */
const [workState = '', slug = '', times = '0'] = process.argv.slice(2)
const ports = { now: Date.now, redactor: createRedactor({}), waitMs: 120_000 }

const countOf = (entry: unknown): number =>
  typeof entry === 'object' && entry !== null && 'count' in entry ? Number(entry.count) : 0

for (let at = 0; at < Number(times); at++) {
  const done = await updateWorkState(
    { workState },
    (state) => {
      const count = countOf(state.sessions[slug]) + 1
      return {
        state: { ...state, sessions: { ...state.sessions, [slug]: { count } } },
        outcome: count,
      }
    },
    ports,
  )
  if (!done.ok) throw done.error
  process.stdout.write(`${done.value.outcome}\n`)
}
