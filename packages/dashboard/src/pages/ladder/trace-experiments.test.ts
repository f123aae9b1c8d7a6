import { expect, it } from 'vitest'
import { type Stages, traceExperiments } from './trace-experiments.ts'

const item = (id: string, from?: string, created = '2026-03-01') => ({
  id,
  title: `Title of ${id}`,
  status: 'open',
  created,
  ...(from === undefined ? {} : { from }),
})
const NONE: Stages = {
  sources: [],
  ideas: [],
  hypotheses: [],
  experiments: [],
  algorithms: [],
  results: [],
}

it('finds the hypothesis and the result of each experiment, the newest first', () => {
  const traced = traceExperiments({
    sources: [item('SR-001')],
    ideas: [item('ID-001', 'SR-001')],
    hypotheses: [item('HY-001', 'ID-001')],
    experiments: [item('EX-001', 'HY-001'), item('EX-002', undefined, '2026-03-02')],
    algorithms: [item('AL-001', 'EX-001')],
    results: [item('RE-001', 'AL-001'), item('RE-002', 'EX-001'), item('RE-003')],
  })
  expect(traced).toMatchObject([
    { item: { id: 'EX-002' }, changes: [], results: [] },
    {
      item: { id: 'EX-001' },
      source: { id: 'SR-001' },
      hypothesis: { id: 'HY-001' },
      changes: [{ id: 'AL-001' }],
      results: [{ id: 'RE-001' }, { id: 'RE-002' }],
    },
  ])
  expect(traced[0]?.hypothesis).toBeUndefined()
})

it('ends at a cycle and at an unknown item', () => {
  const experiments = [item('EX-001', 'EX-002'), item('EX-002', 'EX-001'), item('EX-003', 'HY-9')]
  expect(traceExperiments({ ...NONE, experiments })).toHaveLength(3)
})
