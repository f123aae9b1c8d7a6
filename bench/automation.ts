import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { JsonObject, PipelineStep } from '@steward/contract'
import { type LocalRuntime, openLocalRuntime } from '@steward/runner'

type Print = (line: string) => void

const ACTION = 'A_COUNT_WORDS'
const STEPS = 6
const WARM_UP = 20
const ROUNDS = 200
const FAN_OUT = 10_000

const INPUT: JsonObject = {
  content: 'A storm came in from the west that night. '.repeat(12),
  page: 4,
  list: Array.from({ length: STEPS }, (_, at) => ({ page: at })),
}

const repeat = <Step>(step: Step, count = STEPS): Step[] =>
  Array.from({ length: count }, () => step)

/** Every pipeline performs six actions. */
const PIPELINES: Record<string, PipelineStep[]> = {
  P_PLAIN_STEPS: repeat(ACTION),
  P_WITH_FIELDS: repeat({ action: ACTION, with: { title: 'Page {page}', limit: 3 } }),
  P_WHEN_BETWEEN: repeat([ACTION, { when: 'content.size() > 100 && page < 10' }]).flat(),
  P_PARALLEL_STEPS: [{ parallel: repeat(repeat(ACTION, 2), 3) }],
  P_EACH_ELEMENT: [{ each: 'list', do: [ACTION] }],
}

/**
 * What `with`, `when`, `parallel` and `each` cost, as ratios to plain steps of the same run; every
 * step is durable and every action isolated. Then one fan-out over 10,000 elements.
 */
export const benchAutomation = async (print: Print): Promise<void> => {
  const directory = mkdtempSync(join(tmpdir(), 'steward-bench-'))
  writeDefinitions(directory)
  const steward = await openLocalRuntime({
    env: { STEWARD_HOME: directory },
    homedir: directory,
    builtIn: join(directory, 'library'),
  })
  try {
    const medians = await measureAll(steward)
    const plain = medians.get('P_PLAIN_STEPS') ?? Number.NaN
    print(`${STEPS} actions per run, one run at a time`)
    for (const [name, ms] of medians) {
      const ratio = `${(ms / plain).toFixed(2)}x the time of plain steps`
      print(`  ${name.padEnd(17)} ${ms.toFixed(2).padStart(7)} ms per run  ${ratio}`)
    }
    await fanOut(steward, plain / STEPS, print)
  } finally {
    await steward.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

/** The pipelines take turns run by run, so that other load affects all alike. */
const measureAll = async ({ runner }: LocalRuntime): Promise<Map<string, number>> => {
  const times = new Map<string, number[]>(Object.keys(PIPELINES).map((name) => [name, []]))
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    for (const [name, measured] of times) {
      const startedAt = performance.now()
      await runner.run(name, INPUT)
      if (round >= 0) measured.push(performance.now() - startedAt)
    }
  }
  return new Map([...times].map(([name, measured]) => [name, median(measured)]))
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** One run over many elements: time per element, and how much the process grows. */
const fanOut = async ({ runner }: LocalRuntime, plainMs: number, print: Print): Promise<void> => {
  const list = Array.from({ length: FAN_OUT }, (_, at) => ({ page: at }))
  const rssBefore = process.memoryUsage.rss()
  let most = rssBefore
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss())
  }, 20)
  const startedAt = performance.now()
  const { result } = await runner.run('P_EACH_ELEMENT', { list })
  const ms = performance.now() - startedAt
  clearInterval(watch)
  if ('error' in result) throw result.error
  const each = ms / FAN_OUT
  const grown = (most - rssBefore) / 1024 / 1024
  print(`each over ${FAN_OUT} elements: ${(ms / 1000).toFixed(1)} s, ${each.toFixed(2)} ms each`)
  print(
    `  ${(each / plainMs).toFixed(2)}x a plain step; the process grew by ${grown.toFixed(0)} MiB`,
  )
}

const writeDefinitions = (home: string): void => {
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(home, file)), { recursive: true })
    writeFileSync(join(home, file), text)
  }
  const field = { type: 'array', required: false }
  const manifest = {
    name: ACTION,
    description: 'Counts.',
    input: { content: { type: 'string' }, page: { type: 'integer' }, list: field },
    output: { words: { type: 'integer' } },
  }
  write(`USER/ACTIONS/${ACTION}/action.json`, JSON.stringify(manifest))
  write(`USER/ACTIONS/${ACTION}/action.mjs`, 'export const execute = () => ({ words: 90 })')
  for (const [name, actions] of Object.entries(PIPELINES)) {
    write(`USER/PIPELINES/${name}.yaml`, JSON.stringify({ name, description: `${name}.`, actions }))
  }
}

if (import.meta.main) await benchAutomation(console.log)
