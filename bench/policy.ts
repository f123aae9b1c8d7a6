/**
 * The cost of judging a command compared with parsing its JSON payload, in the same run. Every hook
 * that needs a verdict pays this once.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compilePolicy, DEFAULT_RULES, judgeCommand, readShell } from '@steward/policy'
import { parse } from 'yaml'
import { z } from 'zod'

const list = z.array(z.string())
const corpus = z.object({
  dangerous: z.object({ deny: list, ask: list }),
  harmless: z.object({ pass: list, alert: list }),
})
const CORPUS = join(import.meta.dirname, '../packages/policy/src/testing/commands.yaml')
const PLACE = { home: '/home/u', dataHome: '/home/u/.steward' }
const ROUNDS = 5

export const benchPolicy = async (print: (line: string) => void): Promise<void> => {
  const { dangerous, harmless } = corpus.parse(parse(readFileSync(CORPUS, 'utf8')))
  const commands = [...dangerous.deny, ...dangerous.ask, ...harmless.pass, ...harmless.alert]
  const policy = compilePolicy(DEFAULT_RULES, PLACE)
  const payloads = commands.map((command) =>
    JSON.stringify({
      hook_event_name: 'PreToolUse',
      session_id: '0b1c7a52-3a57-4d0e-9d4a-5d5a6c1f2e3b',
      cwd: '/home/u/proj',
      tool_name: 'Bash',
      tool_input: { command, description: 'what it is for' },
    }),
  )
  const place = { cwd: '/home/u/proj' }
  const parsing = measure(payloads, (payload) => void JSON.parse(payload))
  const reading = measure(commands, (command) => void readShell(command, { ...place, ...PLACE }))
  const judging = measure(commands, (command) => void judgeCommand(command, policy, place))
  const compiling = measure([1, 2, 3], () => void compilePolicy(DEFAULT_RULES, PLACE))
  const show = (name: string, us: number) =>
    print(
      `${name}: ${us.toFixed(1)} µs, ${(us / parsing).toFixed(0)} times JSON.parse of the payload`,
    )
  print(`${commands.length} commands, median of ${ROUNDS} rounds of all`)
  show('JSON.parse of the payload', parsing)
  show('reading a command as a shell would', reading)
  show('judging a command', judging)
  show('compiling the built-in policy', compiling)
}

/** Microseconds per item: the median over all items and rounds, after one warm-up round. */
const measure = <Item>(items: readonly Item[], act: (item: Item) => void): number => {
  const times: number[] = []
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const item of items) {
      const start = performance.now()
      act(item)
      if (round > 0) times.push((performance.now() - start) * 1000)
    }
  }
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
}
