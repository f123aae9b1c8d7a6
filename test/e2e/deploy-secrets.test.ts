import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  addSampleScripts,
  type DeployBench,
  openDeployBench,
  writeSampleWorkers,
} from './deploy-fixture.ts'

let bench: DeployBench
beforeAll(async () => {
  bench = await openDeployBench()
  writeSampleWorkers(bench.cli)
  addSampleScripts(bench.platform)
})
afterAll(() => bench.close())

const secretsOf = (worker: string) => bench.platform.state.scripts.get(worker)?.secrets

/** The command lines of all processes on this machine. */
const commandLines = (): string =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      } catch {
        return `process ${pid} has ended`
      }
    })
    .join('\n')

describe('steward secrets', () => {
  it('sets a secret from standard input on the workers that use it; no command line ever shows it', async () => {
    const value = 'sk-very-secret-0123'
    const seen: string[] = []
    bench.platform.onCall(({ method, path }) => {
      if (method === 'PUT' && path.endsWith('/secrets')) seen.push(commandLines())
    })
    const { code, stdout, stderr } = await bench.run(['secrets', 'set', 'LLM_API_KEY', '--all'], {
      stdin: `${value}\n`,
    })
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'LLM_API_KEY is set on exec-a-label-text\n',
    })
    expect(stderr).not.toContain(value)
    expect(secretsOf('exec-a-label-text')).toEqual({ LLM_API_KEY: value })
    expect(secretsOf('exec-a-count-words')).toEqual({})
    expect(seen).toHaveLength(1)
    expect(seen[0]).toContain('wrangler')
    expect(seen[0]).not.toContain(value)
  })

  it('accepts no value as an argument and creates no worker for a typo', async () => {
    const given = await bench.run(['secrets', 'set', 'KEY', 'sk-1', '--worker', 'a-count-words'])
    expect(given.code).toBe(2)
    expect(given.stderr).toMatch(/never pass a value on the command line/)
    const typo = await bench.run(['secrets', 'set', 'KEY', '--worker', 'a-count-wods'], {
      stdin: 'x',
    })
    expect(typo.code).toBe(3)
    expect(typo.stderr).toMatch(/exec-a-count-wods \(did you mean exec-a-count-words\?\)/)
    expect([...bench.platform.state.scripts.keys()]).toHaveLength(4)
    const empty = await bench.run(['secrets', 'set', 'KEY', '--worker', 'a-count-words'], {
      stdin: '\n',
    })
    expect(empty.stderr).toMatch(/KEY: no value/)
  })

  it('gives all workers one token of 32 random bytes and stores it for calls', async () => {
    const lacking = await bench.run(['secrets'])
    expect(lacking.stdout).toMatch(/lacks +exec-f-feeds-count +AUTH_TOKEN/)
    expect(lacking.stdout).toMatch(/lacks +exec-a-label-text +AUTH_TOKEN; has LLM_API_KEY/)

    const generated = await bench.run(['secrets', 'generate'])
    expect(generated.code).toBe(0)
    const token = secretsOf('exec-f-feeds-count')?.AUTH_TOKEN ?? ''
    expect(token).toMatch(/^[0-9a-f]{64}$/)
    expect(generated.stdout + generated.stderr).not.toContain(token)
    for (const worker of bench.platform.state.scripts.keys()) {
      expect(secretsOf(worker)?.AUTH_TOKEN).toBe(token)
    }
    const envFile = join(bench.cli.home, '.env')
    expect(readFileSync(envFile, 'utf8')).toBe(`AUTH_TOKEN=${token}\n`)
    expect(statSync(envFile).mode & 0o777).toBe(0o600)
    expect((await bench.run(['secrets', 'status'])).stdout).not.toMatch(/lacks/)
  })
})

describe('steward workers', () => {
  const outside = () => ({ cwd: bench.cli.home })

  it('lists workers without local files', async () => {
    const { stdout } = await bench.run(['workers', 'list', '--json'], outside())
    expect(JSON.parse(stdout)).toMatchObject([
      { worker: 'exec-a-count-words', name: 'A_COUNT_WORDS', primitive: 'action' },
      { worker: 'exec-a-label-text' },
      { worker: 'exec-f-feeds-count' },
      { worker: 'exec-p-count-label' },
    ])
  })

  it('shows the state of one, and exits 1 if something is wrong', async () => {
    const well = await bench.run(['workers', 'status', 'F_FEEDS_COUNT'], outside())
    expect(well.code).toBe(0)
    expect(well.stdout).toMatch(
      /cron +\*\/30 \* \* \* \*[\s\S]*P_COUNT_LABEL \(exec-p-count-label\)/,
    )
    const flow = bench.platform.state.scripts.get('exec-f-feeds-count')
    if (flow === undefined) throw new Error('the flow is not there')
    flow.crons = []
    const wrong = await bench.run(['workers', 'status', 'f-feeds-count', '--json'])
    expect(wrong.code).toBe(1)
    expect(JSON.parse(wrong.stdout)[0].problems[0]).toMatch(/cron not firing as configured/)
  })

  it('shows stored logs in chronological order', async () => {
    bench.platform.state.logEvents = [
      { timestamp: 2000, source: { a: 1 }, $metadata: { service: 'exec-f-x', level: 'error' } },
      { timestamp: 1000, source: '', $metadata: { service: 'exec-f-x', message: 'started' } },
    ]
    const { stdout } = await bench.run(['workers', 'logs', 'f-feeds-count'], outside())
    expect(stdout).toMatch(/exec-f-x {2}started\n.*exec-f-x {2}error {2}\{"a":1\}\n$/)
    expect(bench.platform.state.calls.at(-1)?.body).toMatchObject({
      parameters: { filters: [{ key: '$metadata.service', value: 'exec-f-feeds-count' }] },
    })
  })

  it('follows the activity of a worker', async () => {
    const stop = new AbortController()
    const tail = bench.platform.nextTail()
    const following = bench.run(['workers', 'logs', 'f-feeds-count', '--follow', '--json'], {
      kill: stop.signal,
    })
    const connection = await tail
    connection.send({ outcome: 'ok', event: { cron: '*/30 * * * *' }, logs: [] })
    connection.close()
    await bench.platform.nextTail()
    stop.abort()
    expect(JSON.parse((await following).stdout)).toMatchObject({
      worker: 'exec-f-feeds-count',
      outcome: 'ok',
    })
  })
})

describe('steward run on a deployed flow', () => {
  let server: Server
  const seen: string[] = []
  let answer: [status: number, body: unknown] = [202, {}]
  beforeAll(async () => {
    server = createServer((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers.authorization}`)
      response.writeHead(answer[0]).end(JSON.stringify(answer[1]))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    const workers = { 'exec-f-feeds-count': `http://127.0.0.1:${address.port}/` }
    bench.cli.write('settings.json', JSON.stringify({ edge: { workers } }))
  })
  afterAll(() => server.close())

  it('triggers a flow with the stored token and reports that its cron is gone', async () => {
    answer = [202, { success: true, message: 'F_FEEDS_COUNT was started', run_id: 'r1' }]
    const { code, stdout, stderr } = await bench.run(['run', 'F_FEEDS_COUNT'])
    expect(JSON.parse(stdout)).toEqual({ message: 'F_FEEDS_COUNT was started', run_id: 'r1' })
    expect(code).toBe(0)
    const token = secretsOf('exec-f-feeds-count')?.AUTH_TOKEN
    expect(seen).toEqual([`POST /trigger Bearer ${token}`])
    expect(stderr).toMatch(/note: cron not firing as configured: the trigger settings are none/)
  })

  it('explains a binding error in the words of the spec', async () => {
    answer = [502, { success: false, error: 'binding error: no P_X', code: 'binding_missing' }]
    const { code, stderr } = await bench.run(['run', 'F_FEEDS_COUNT', '--quiet'])
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /binding error: no P_X\n.*\n {2}what to do: Deploy the target workers before the workers/,
    )
  })
})
