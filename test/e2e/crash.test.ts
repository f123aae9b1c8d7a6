import { join } from 'node:path'
import { setTimeout as setTimeoutAsync } from 'node:timers/promises'
import { type RunDetail, type RunRecord, runDetail, runRecord } from '@steward/contract'
import { startVendorStandIn, type VendorStandIn } from '@steward/models/testing'
import { createRedactor } from '@steward/platform'
import { openHistory } from '@steward/runner'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Cli, createCli, writeAction } from './cli-process.ts'

/** `npm run chaos` does this hundreds of times. */
const REPEATS = 40
const STEPS = ['A_ASK_FIRST', 'A_ASK_SECOND', 'A_ASK_THIRD']

let cli: Cli
let vendor: VendorStandIn
let env: Record<string, string>

beforeEach(async () => {
  cli = createCli()
  vendor = await startVendorStandIn({ delayMs: 25 })
  env = { LLM_PROVIDER: 'anthropic', LLM_API_KEY: 'test-key-0123456789', LLM_BASE_URL: vendor.url }
  prepare(cli)
})

afterEach(async () => {
  await vendor.close()
  cli.remove()
})

/** A pipeline of three model calls. */
const prepare = (where: Cli): void => {
  for (const name of STEPS) {
    const field = name.toLowerCase()
    writeAction(
      where,
      name,
      `export const execute = async (input, { capabilities }) => ({
        ${field}: (await capabilities.llm(\`${name} on \${input.content}\`)).text })`,
      { requires: ['llm'], output: { [field]: { type: 'string' } } },
    )
  }
  where.write(
    'USER/PIPELINES/P_ASK_THRICE.yaml',
    `name: P_ASK_THRICE\ndescription: Three model calls.\nactions: [${STEPS.join(', ')}]\n`,
  )
}

const start = (content: string, kill?: AbortSignal) =>
  cli.run(['run', 'P_ASK_THRICE', '--local', '--content', content, '--idempotency-key', content], {
    env,
    ...(kill === undefined ? {} : { kill }),
  })

const outputOf = async (content: string): Promise<unknown> => {
  const { code, stdout, stderr } = await start(content)
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

const listRuns = async (): Promise<RunRecord[]> => {
  const listed = await cli.json(['runs', '--json', '--limit', '1000'])
  const runs = Array.isArray(listed) ? listed : Object(listed).runs
  return runRecord.array().parse(runs)
}

const showRun = async (id: string): Promise<RunDetail> =>
  runDetail.parse(await cli.json(['runs', 'show', id, '--json']))

/** Reads the database directly, which is faster than running as many commands. */
const readDetails = (runs: readonly RunRecord[]): RunDetail[] => {
  const directory = join(cli.home, 'state')
  const history = openHistory({ directory, redactor: createRedactor({}) })
  try {
    return runs.flatMap(({ id }) => history.get(id) ?? [])
  } finally {
    void history.close()
  }
}

const callsFor = (content: string, action: string): number =>
  vendor.calls.filter(({ prompt }) => prompt === `${action} on ${content}`).length

const firstCallFor = async (content: string): Promise<void> => {
  while (callsFor(content, 'A_ASK_FIRST') === 0) await setTimeoutAsync(2)
}

/** The output of an undisturbed run; the vendor's response depends only on the prompt. */
const undisturbed = async (content: string): Promise<unknown> => {
  const other = createCli()
  try {
    prepare(other)
    return await other.json(['run', 'P_ASK_THRICE', '--local', '--content', content], { env })
  } finally {
    other.remove()
  }
}

describe('SIGKILL', () => {
  it('in step 2 of 3: resuming repeats no finished step and gives the undisturbed result', async () => {
    const expected = await undisturbed('text')
    // Step 1 gets a response, step 2 never does.
    vendor.script({}, { hang: true })
    const kill = new AbortController()
    const killed = start('text', kill.signal)
    await expect
      .poll(() => callsFor('text', 'A_ASK_SECOND'), { timeout: 20_000, interval: 10 })
      .toBe(2)
    kill.abort()
    expect((await killed).code).toBeNull()

    const [left] = await listRuns()
    expect(left?.status).toBe('interrupted')
    await cli.json(['runs', 'resume', '--json'], { env })

    const after = await showRun(left?.id ?? '')
    expect(after.status).toBe('completed')
    expect(after.output).toEqual(expected)
    expect(after.steps.map(({ attempts }) => attempts)).toEqual([1, 2, 1])
    // One call by the undisturbed run and one by this one: step 1 was not repeated.
    expect(callsFor('text', 'A_ASK_FIRST')).toBe(2)
    expect(await listRuns()).toHaveLength(1)
  })

  it(`${REPEATS} times at random moments: no run is lost or doubled, no finished call is repeated`, async () => {
    const contents = Array.from({ length: REPEATS }, (_, index) => `text ${index}`)
    for (const [index, content] of contents.entries()) {
      const kill = new AbortController()
      const running = start(content, kill.signal)
      // Most kills happen during the run; every fourth may also happen before it begins.
      if (index % 4 !== 0) await Promise.race([running, firstCallFor(content)])
      const timer = setTimeout(() => kill.abort(), Math.random() * (index % 4 === 0 ? 500 : 100))
      await running
      clearTimeout(timer)
    }
    const afterKills = await listRuns()
    const left = afterKills.filter(({ status }) => status === 'interrupted')
    const finishedFirstStep = new Set(
      readDetails(left)
        .filter(({ steps }) => steps[0]?.status === 'completed')
        .map(({ input }) => String(input?.content)),
    )
    // The test is meaningful only if enough kills happened during a run.
    expect(left.length).toBeGreaterThan(5)

    const resumed = await cli.run(['runs', 'resume', '--json'], { env })
    expect(resumed.stderr).not.toContain('failed')
    expect((await listRuns()).filter(({ status }) => status !== 'completed')).toEqual([])

    // Starts the runs that were killed before they began, and some of the others: a key returns its
    // one run.
    const known = new Set(afterKills.map(({ idempotencyKey }) => idempotencyKey))
    const asked = contents.filter((content, index) => !known.has(content) || index % 10 === 0)
    for (const content of asked) {
      expect(await outputOf(content)).toMatchObject({ content, a_ask_third: expect.any(String) })
    }
    const runs = await listRuns()
    expect(runs.map(({ idempotencyKey }) => idempotencyKey).toSorted()).toEqual(contents.toSorted())
    for (const { output } of readDetails(runs)) {
      expect(output).toMatchObject({
        a_ask_first: expect.any(String),
        a_ask_third: expect.any(String),
      })
    }
    for (const content of contents) {
      const calls = STEPS.map((action) => callsFor(content, action))
      // Only the call in progress at the kill may have been repeated.
      expect(calls.filter((count) => count > 1).length).toBeLessThanOrEqual(1)
      expect(Math.max(...calls)).toBeLessThanOrEqual(2)
      if (finishedFirstStep.has(content)) expect(calls[0]).toBe(1)
    }
  })
})
