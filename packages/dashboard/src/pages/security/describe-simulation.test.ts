import { expect, it } from 'vitest'
import { describeSimulation } from './describe-simulation.ts'

const NONE = { deny: 0, ask: 0, alert: 0, pass: 0 }
const simulation = { days: 30, calls: 7, isCut: false, matches: 0, changed: NONE, shadowed: 0 }
const describe = (more: Partial<Parameters<typeof describeSimulation>[0]>) =>
  describeSimulation({ ...simulation, latest: [], ...more })

it('says how many calls match, and their verdicts with the rule', () => {
  expect(describe({ calls: 0 })).toEqual(['No tool calls were recorded in the last 30 days.'])
  expect(describe({})).toEqual(['None of 7 tool calls of the last 30 days matches.'])
  expect(describe({ matches: 1 })).toEqual([
    '1 of 7 tool calls of the last 30 days matches.',
    'All keep their verdict.',
  ])
  const changed = { deny: 2, ask: 1, alert: 0, pass: 3 }
  expect(describe({ calls: 500, isCut: true, matches: 9, changed, shadowed: 1 })).toEqual([
    '9 of the newest 500 tool calls (there are more) match.',
    '2 would be newly blocked, 1 would be newly asked, 3 would be no longer blocked, asked or watched, 1 would be only logged.',
  ])
})
