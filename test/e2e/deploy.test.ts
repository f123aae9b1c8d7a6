import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  addSampleResources,
  type DeployBench,
  openDeployBench,
  writeSampleWorkers,
  writeWorker,
} from './deploy-fixture.ts'

const SAMPLE = [
  'exec-a-count-words',
  'exec-a-label-text',
  'exec-p-count-label',
  'exec-f-feeds-count',
]

let bench: DeployBench
beforeEach(async () => {
  bench = await openDeployBench()
  addSampleResources(bench.platform)
})
afterEach(() => bench.close())

const ledger = () =>
  readFileSync(join(bench.cli.home, 'state/edge/deploys.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('steward deploy with the real wrangler', () => {
  it('uploads in order with the whole configuration; the second time, uploads only changes', async () => {
    writeSampleWorkers(bench.cli)
    const { state } = bench.platform
    const first = await bench.run(['deploy', '--all'])
    expect(first.stderr).toMatch(/\[1\/4\] exec-a-count-words deployed\n[\s\S]*\[4\/4\]/)
    expect(first.code).toBe(0)
    expect(state.uploads).toEqual(SAMPLE)
    expect(first.stdout).toMatch(/4 deployed, 0 unchanged\n4 workers lack secrets/)

    const flow = state.scripts.get('exec-f-feeds-count')
    expect(flow?.metadata.bindings).toEqual(
      expect.arrayContaining([
        { type: 'service', name: 'P_COUNT_LABEL', service: 'exec-p-count-label' },
        { type: 'kv_namespace', name: 'SEEN_ITEMS', namespace_id: expect.any(String) },
        { type: 'd1', name: 'FLOW_DB', id: expect.any(String) },
        { type: 'queue', name: 'FEED_ITEMS', queue_name: 'feed-items' },
      ]),
    )
    expect(flow?.metadata).toMatchObject({
      compatibility_date: '2026-07-30',
      compatibility_flags: ['nodejs_compat'],
      observability: { enabled: true },
    })
    expect(flow?.crons).toEqual(['*/30 * * * *'])
    expect(state.queues.get('feed-items')?.consumers).toMatchObject([
      {
        script_name: 'exec-f-feeds-count',
        dead_letter_queue: 'feed-items-dead',
        settings: { batch_size: 10, max_retries: 3, max_wait_time_ms: 5000 },
      },
    ])
    // The uploaded bytes are the built bytes.
    const built = readFileSync(join(bench.cli.files, 'workers/f-feeds-count/index.js'), 'utf8')
    expect(flow?.modules['index.js']).toBe(built)
    // The stand-in accepts only the login's token, although CLOUDFLARE_API_TOKEN was set all the
    // time.
    expect(state.unexpected).toEqual([])

    writeWorker(bench.cli, 'A_COUNT_WORDS', { code: 'export default { fetch: () => 1 }\n' })
    const [before] = state.scripts.get('exec-a-count-words')?.versions ?? []
    const second = await bench.run(['deploy', '--all'])
    expect(second.code).toBe(0)
    expect(state.uploads.slice(4)).toEqual(['exec-a-count-words'])
    expect(second.stdout).toMatch(/deployed +exec-a-count-words +changed/)
    expect(second.stdout).toMatch(/unchanged +exec-f-feeds-count/)
    expect(second.stdout).toContain(`npx wrangler rollback ${before} --name exec-a-count-words`)
    expect(ledger()).toHaveLength(5)
    expect(ledger().at(-1)).toMatchObject({
      worker: 'exec-a-count-words',
      previousVersion: before,
      version: state.scripts.get('exec-a-count-words')?.versions[1],
      url: 'https://exec-a-count-words.ada.workers.dev',
    })
    // Wrangler's logs are not written to the person's folders.
    const config = readdirSync(bench.env.XDG_CONFIG_HOME ?? '', { recursive: true })
    expect(config).not.toEqual(expect.arrayContaining([expect.stringMatching(/log/)]))
  })

  it('continues where it was killed', async () => {
    writeSampleWorkers(bench.cli)
    const { state } = bench.platform
    const kill = new AbortController()
    bench.platform.onCall(({ method, path }) => {
      if (method !== 'PUT' || path !== '/workers/scripts/exec-p-count-label') return
      kill.abort()
      throw new Error('the connection is cut')
    })
    const killed = await bench.run(['deploy', '--all'], { kill: kill.signal })
    expect(killed.code).toBe(null)
    expect(state.uploads).toEqual(SAMPLE.slice(0, 2))

    bench.platform.onCall(() => undefined)
    const again = await bench.run(['deploy', '--all', '--json'])
    expect(again.stderr).not.toMatch(/error/)
    expect(state.uploads).toEqual(SAMPLE)
    expect(JSON.parse(again.stdout).workers).toMatchObject([
      { worker: SAMPLE[0], status: 'unchanged' },
      { worker: SAMPLE[1], status: 'unchanged' },
      { worker: SAMPLE[2], status: 'deployed' },
      { worker: SAMPLE[3], status: 'deployed' },
    ])
  })

  it('shows why the platform refused an upload, and how to continue', async () => {
    writeWorker(bench.cli, 'A_COUNT_WORDS')
    bench.platform.onCall(({ method, path }) => {
      if (method === 'PUT' && path.endsWith('exec-a-count-words')) throw new Error('no room left')
    })
    const { code, stderr } = await bench.run(['deploy', 'a-count-words'])
    expect(code).toBe(1)
    expect(stderr).toMatch(/stopped after 0 of 1; the same command continues from there/)
    expect(stderr).toMatch(/no room left/)
  })

  it('refuses before any upload: missing targets, names that differ, ids not created yet', async () => {
    const { state } = bench.platform
    writeSampleWorkers(bench.cli)
    rmSync(join(bench.cli.files, 'workers/a-count-words'), { recursive: true })
    const target = await bench.run(['deploy', 'p-count-label', 'a-label-text'])
    expect(target.stderr).toMatch(/A_COUNT_WORDS to exec-a-count-words, which is not deployed/)
    expect(target.stderr).toMatch(/code: binding_missing[\s\S]*nothing was uploaded/)
    expect(target.code).toBe(1)

    writeWorker(bench.cli, 'A_LABEL_TEXT', { configuredName: 'exec-a-lable-text' })
    const named = await bench.run(['deploy', 'a-label-text'])
    expect(named.stderr).toMatch(/worker name mismatch: .*exec-a-lable-text/)
    expect(named.code).toBe(2)

    const kv = [{ binding: 'SEEN_ITEMS', id: 'not-created-yet-seen-items' }]
    writeWorker(bench.cli, 'F_KEEP_SEEN', { configuration: { kv_namespaces: kv } })
    const ids = await bench.run(['deploy', 'f-keep-seen', '--json'])
    expect(ids.stderr).toMatch(/npx wrangler kv namespace create steward-seen-items/)
    expect(JSON.parse(ids.stdout)).toMatchObject({ problems: [{ code: 'not_configured' }] })
    expect(ids.code).toBe(5)
    expect(state.uploads).toEqual([])
  })

  it('simulates a deploy without uploading', async () => {
    writeWorker(bench.cli, 'A_COUNT_WORDS')
    const { code, stdout } = await bench.run(['deploy', '--all', '--dry-run'])
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout:
        '1.  upload  exec-a-count-words  new\ndry run: wrangler accepts it; nothing was uploaded\n',
    })
    expect(bench.platform.state.uploads).toEqual([])
    writeWorker(bench.cli, 'A_COUNT_WORDS', { configuration: { triggers: { crons: 7 } } })
    expect((await bench.run(['deploy', '--all', '--dry-run'])).stderr).toMatch(/triggers.crons/)
  })

  it('explains how to log in if there is no login', async () => {
    writeWorker(bench.cli, 'A_COUNT_WORDS')
    const { code, stderr } = await bench.run(['deploy', '--all'], {
      env: { XDG_CONFIG_HOME: join(bench.cli.files, 'none') },
    })
    expect(code).toBe(5)
    expect(stderr).toMatch(/log in with `npx wrangler login`/)
  })
})
