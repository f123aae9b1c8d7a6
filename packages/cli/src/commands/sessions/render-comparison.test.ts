import { type Comparison, drivenSession } from '@steward/contract'
import { expect, it } from 'vitest'
import { paintFor } from '../../output/paint.ts'
import { renderComparison } from './render-comparison.ts'

const AT = '2026-03-02T02:30:00.000Z'
const sideOf = (assistant: string, costUsd: number | null, ok: boolean, diff: string) => ({
  session: drivenSession.parse({
    ...{
      id: `s-${assistant}`,
      assistant,
      project: '/p',
      folder: '/w',
      branch: `steward/${assistant}`,
    },
    ...{ base: 'b', prompt: 'Fix it', state: 'idle', reason: null, limits: {}, mode: null },
    ...{ permissions: 'deny', check: 'npm test', turns: 1, toolCalls: 2, workedMs: 61_000 },
    ...{ costUsd, resumed: 0, startedAt: AT, changedAt: AT },
    result: {
      ...{ diffStat: ' a | 2 +-\n 1 file changed', commit: 'c' },
      check: { command: 'npm test', ok, output: '' },
    },
  }),
  diff,
  truncated: false,
})
const compared: Comparison = {
  ...{ id: 'c1', prompt: 'Fix it\nplease', project: '/p', startedAt: AT },
  sides: [
    sideOf('claude', 0.31, true, `-old\n+${'new '.repeat(30)}`),
    sideOf('codex', null, false, '-old\n+\u001b[31mred\n+third'),
  ],
}
const render = (columns: number): string[] =>
  renderComparison(compared, { columns, paint: paintFor(false) }).split('\n')

it('shows facts and diffs beside each other, cut to the width of the terminal', () => {
  const lines = render(100)
  expect(lines.every((line) => line.length <= 100)).toBe(true)
  expect(lines).toContainEqual(expect.stringMatching(/^cost +\$0\.3100 +│ unknown$/))
  expect(lines).toContainEqual(
    expect.stringMatching(/^check +passed: npm test +│ failed: npm test$/),
  )
  expect(lines).toContainEqual(expect.stringMatching(/^\+new new .*… │ \+\uFFFD\[31mred$/))
  expect(lines).toContainEqual(expect.stringMatching(/^ +│ \+third$/))
})

it('shows the diffs one after the other in a narrow terminal', () => {
  const lines = render(70)
  const first = lines.indexOf('claude')
  expect(first).toBeGreaterThan(0)
  expect(lines.indexOf('codex')).toBeGreaterThan(first + 2)
  expect(lines).toContain('+third')
  expect(lines.at(-2)).toBe('Nothing was merged or pushed.')
})
