/** A process that changes work.json: `node write-state.ts HOME WRITER TIMES`. Prints a line for every acknowledged change. */
import { createRedactor, resolveHome, updateWorkState } from '@steward/platform'

const [root = '', writer = '0', times = '0'] = process.argv.slice(2)
const home = resolveHome({ STEWARD_HOME: root })
const ports = { now: Date.now, redactor: createRedactor({}), waitMs: 120_000 }

for (let change = 1; change <= Number(times); change++) {
  const result = await updateWorkState(
    home,
    (state) => ({
      state: {
        ...state,
        sessions: { ...state.sessions, [writer]: { task: 'bench', iteration: change } },
      },
      outcome: undefined,
    }),
    ports,
  )
  if (!result.ok) throw result.error
  process.stdout.write(`${change}\n`)
}
