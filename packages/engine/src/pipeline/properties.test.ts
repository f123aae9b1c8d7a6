import { type JsonObject, type PipelineStep, StewardError } from '@steward/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PipelineFailure } from './pipeline-failure.ts'
import { createMemoryHost, Killed, type TestActions } from './testing/memory-host.ts'
import { interpret, type ReferenceEnd } from './testing/reference-interpreter.ts'

const numberIn = ({ n }: JsonObject): number => (typeof n === 'number' ? n : 0)

const ACTIONS: TestActions = {
  A_ADD_ONE: (input) => ({ n: numberIn(input) + 1 }),
  A_TAG_IT: (input) => ({ tag: `${input.tag ?? ''}/${numberIn(input)}` }),
  A_LIST_THEM: (input) => ({
    list: Array.from({ length: numberIn(input) % 4 }, (_, at) => (at % 2 === 0 ? { n: at } : at)),
  }),
  A_FAIL_ODD: async (input) => {
    await Promise.resolve()
    if (numberIn(input) % 2 === 1) throw new Error('odd')
    return { even: true }
  },
  A_REJECT_BIG: (input) => {
    if (numberIn(input) < 3) return { small: true }
    throw new StewardError('rejected_content', { subject: 'n', reason: 'big' })
  },
}

const CONDITIONS: Record<string, (scope: JsonObject) => boolean> = {
  'has(fields.n) && n < 3': (scope) => typeof scope.n === 'number' && scope.n < 3,
  '!has(fields.tag)': (scope) => scope.tag === undefined,
  'has(fields.index) ? index % 2 == 0 : true': ({ index }) =>
    typeof index !== 'number' || index % 2 === 0,
}

const action = fc.constantFrom(...Object.keys(ACTIONS))

const { steps } = fc.letrec<{ step: PipelineStep; steps: PipelineStep[] }>((tie) => ({
  steps: fc.array(tie('step'), { minLength: 1, maxLength: 4 }),
  step: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    action,
    fc.record(
      {
        action,
        with: fc.dictionary(fc.constantFrom('n', 'tag', 'own'), fc.nat(5), { maxKeys: 2 }),
        retry: fc.record({ attempts: fc.integer({ min: 1, max: 3 }) }),
        onError: fc.oneof(action, tie('steps')),
      },
      { requiredKeys: ['action'] },
    ),
    fc.record({ when: fc.constantFrom(...Object.keys(CONDITIONS)) }),
    fc.record({ parallel: fc.array(tie('steps'), { minLength: 1, maxLength: 3 }) }),
    fc.record(
      {
        each: fc.constant('list'),
        do: tie('steps'),
        max: fc.integer({ min: 1, max: 3 }),
        concurrency: fc.integer({ min: 1, max: 3 }),
      },
      { requiredKeys: ['each', 'do'] },
    ),
  ),
}))

const input = fc.record(
  {
    n: fc.nat(6),
    tag: fc.string({ maxLength: 3 }),
    list: fc.array(fc.oneof(fc.nat(5), fc.record({ n: fc.nat(5) })), { maxLength: 4 }),
  },
  { requiredKeys: ['n'] },
)

/** The end of a run in the words of the reference; a killed one is continued. */
const endOf = async (
  host: ReturnType<typeof createMemoryHost>,
  program: PipelineStep[],
  given: JsonObject,
): Promise<ReferenceEnd> => {
  try {
    return await host.run(program, given)
  } catch (thrown) {
    if (thrown instanceof PipelineFailure) return { stage: thrown.stage }
    if (!(thrown instanceof Killed)) throw thrown
    host.revive()
    return endOf(host, program, given)
  }
}

/** The error that a fallback may have kept differs from the one of the reference. */
const comparable = (end: ReferenceEnd): unknown =>
  JSON.parse(JSON.stringify(end), (name, value) => (name === 'error' ? 'any error' : value))

describe('generated pipelines', () => {
  it('end as a simple interpreter says, also when the process dies at any record', async () => {
    await fc.assert(
      fc.asyncProperty(steps, input, async (program, given) => {
        const wanted = comparable(await interpret(program, given, ACTIONS, CONDITIONS))
        let count = 0
        const whole = createMemoryHost(ACTIONS, () => {
          count++
        })
        expect(comparable(await endOf(whole, program, given))).toEqual(wanted)
        const kills = Array.from({ length: count }, (_, at) => at + 1)
        const chosen = kills.filter((at) => count <= 30 || at % Math.ceil(count / 30) === 0)
        for (const at of chosen) await checkKill(at, program, given, wanted, whole)
      }),
      { numRuns: 150 },
    )
  }, 120_000)
})

const checkKill = async (
  at: number,
  program: PipelineStep[],
  given: JsonObject,
  wanted: unknown,
  whole: ReturnType<typeof createMemoryHost>,
): Promise<void> => {
  let count = 0
  let done = new Set<string>()
  let performedBefore = 0
  const host = createMemoryHost(ACTIONS, () => {
    count++
    if (count !== at) return
    done = new Set(
      host.records().flatMap(({ path, status }) => (status === 'completed' ? [path] : [])),
    )
    performedBefore = host.performed.length
    throw new Killed()
  })
  expect(comparable(await endOf(host, program, given)), `killed at record ${at}`).toEqual(wanted)
  const repeated = host.performed.slice(performedBefore).filter(({ path }) => done.has(path))
  expect(repeated, `killed at record ${at}`).toEqual([])
  const isWhole = !('stage' in Object(wanted))
  if (isWhole) expect(shape(host)).toEqual(shape(whole))
}

const shape = (host: ReturnType<typeof createMemoryHost>) =>
  host.records().map(({ path, name, status }) => `${path} ${name} ${status}`)
