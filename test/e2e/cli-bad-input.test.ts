import { existsSync, readdirSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Cli, createCli, writeAction } from './cli-process.ts'

let cli: Cli
const servers: Server[] = []
beforeAll(() => {
  cli = createCli()
  writeAction(
    cli,
    'A_COUNT_WORDS',
    'export const execute = ({ content }) => ({ words: content.length })',
    {
      input: { content: { type: 'string', required: true }, limit: { type: 'integer' } },
      output: { words: { type: 'integer' } },
    },
  )
})
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})
afterAll(() => cli.remove())

const run = (...args: string[]) => cli.run(['run', ...args, '--local'])

/** A loopback server in place of the internet, which the settings allow. */
const serve = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const host = `127.0.0.1:${address.port}`
  cli.write(
    'settings.json',
    JSON.stringify({ execution: { fetch: { allowPrivateHosts: [host] } } }),
  )
  return `http://${host}/`
}

describe('bad input', () => {
  it('a missing field', async () => {
    const { code, stdout, stderr } = await run('A_COUNT_WORDS', '{}')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/A_COUNT_WORDS: missing input "content"/)
    expect(stderr).toMatch(/code: invalid_input/)
    expect(stderr).toMatch(/run: [0-9a-f-]{36}/)
    expect(stderr).not.toMatch(/ {4}at /)
    const debug = await cli.run(['run', 'A_COUNT_WORDS', '{}', '--local'], {
      env: { STEWARD_DEBUG: '1' },
    })
    expect(debug.stderr).toMatch(/ {4}at /)
  })

  it('a wrong type, with every error reported', async () => {
    const { code, stderr } = await run('A_COUNT_WORDS', '{"content": 5, "limit": "many"}')
    expect(code).toBe(2)
    expect(stderr).toMatch(/content.*string/)
    expect(stderr).toMatch(/limit.*(integer|whole number)/)
  })

  it('an unknown action, with a suggestion', async () => {
    const { code, stderr } = await run('A_COUNT_WRODS', '{}')
    expect(code).toBe(3)
    expect(stderr).toMatch(/did you mean A_COUNT_WORDS\?/)
  })

  it('invalid JSON, with the position of the error', async () => {
    const { code, stderr } = await run('A_COUNT_WORDS', '{"content": "a",, }')
    expect(code).toBe(2)
    expect(stderr).toMatch(/line 1, column 17/)
    expect(stderr).toMatch(/\^/)
  })

  it('a payload of 50 MB, through every kind of input', async () => {
    const big = Buffer.alloc(50 * 1024 * 1024, 'x')
    const file = cli.write('big.json', big)
    const piped = await cli.run(['run', 'A_COUNT_WORDS', '--local'], { stdin: big })
    const named = await run('A_COUNT_WORDS', '--input', `@${file}`)
    const field = await run('A_COUNT_WORDS', '--content', `@${file}`)
    for (const { code, stderr } of [piped, named, field]) {
      expect(code).toBe(2)
      expect(stderr).toMatch(/code: payload_too_large/)
    }
  })

  it('a pipeline with a missing action, or one that calls itself', async () => {
    cli.write(
      'USER/PIPELINES/P_HOLE.yaml',
      'name: P_HOLE\ndescription: x\nactions: [A_COUNT_WORD]\n',
    )
    const missing = await run('P_HOLE', '{}')
    expect(missing.code).toBeGreaterThan(0)
    expect(missing.stderr).toMatch(/A_COUNT_WORD\b.*did you mean A_COUNT_WORDS/)
    cli.write('USER/PIPELINES/P_RING.yaml', 'name: P_RING\ndescription: x\nactions: [P_RING]\n')
    const ring = await run('P_RING', '{}')
    expect(ring.code).toBeGreaterThan(0)
    expect(ring.stderr).toMatch(/P_RING/)
    expect(ring.stderr).not.toMatch(/internal/)
  })

  it('a YAML file with two errors, both reported with their lines', async () => {
    cli.write('USER/PIPELINES/P_TWICE.yaml', 'name: P_TWICE\ndescription: 5\nactions: nothing\n')
    const { code, stderr } = await run('P_TWICE', '{}')
    expect(code).toBe(2)
    expect(stderr).toMatch(/description/)
    expect(stderr).toMatch(/actions/)
    const { stdout } = await cli.run(['list', '--json'])
    const listed = JSON.parse(stdout).pipelines.find(
      (entry: { name: string }) => entry.name === 'P_TWICE',
    )
    expect(listed.error).toMatch(/description.*actions/s)
  })

  it('unknown commands and options, with a suggestion', async () => {
    expect(await cli.run(['lits'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/Did you mean list/),
    })
    expect(await cli.run(['list', '--jsn'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--json/),
    })
    expect(await cli.run(['run', 'A_COUNT_WORDS', '--locla'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/did you mean --local/),
    })
    expect(await run('A_COUNT_WORDS', '--quite', '--content', 'a')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/did you mean --quiet/),
    })
  })
})

describe('bad feeds', () => {
  const flow = (url: string, name: string) =>
    cli.write(
      'USER/FLOWS/flow-index.json',
      JSON.stringify({
        flows: [
          {
            id: name.toLowerCase(),
            name,
            source: { type: 'rss', url },
            pipeline: 'P_COUNT_ITEMS',
            destination: { type: 'file', path: `${name}.jsonl`, format: 'jsonl' },
            schedule: { intervalMinutes: 60, enabled: true },
            maxItems: 50,
          },
        ],
      }),
    )
  beforeAll(() => {
    cli.write(
      'USER/PIPELINES/P_COUNT_ITEMS.yaml',
      'name: P_COUNT_ITEMS\ndescription: x\nactions: [A_COUNT_WORDS]\n',
    )
  })
  const outputOf = (name: string) => join(cli.home, 'OUTPUT', `${name}.jsonl`)

  it('100,000 items: processes up to the limit of one run, and reports how many are waiting', async () => {
    const items = Array.from(
      { length: 100_000 },
      (_, n) => `<item><guid>${n}</guid><title>t${n}</title></item>`,
    )
    const feed = `<rss version="2.0"><channel><title>Big</title>${items.join('')}</channel></rss>`
    const file = cli.write('big.xml', feed)
    const { code, stdout } = await cli.run(['feed', 'parse', file, '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout).items).toHaveLength(100_000)
    flow(file, 'F_BIG_COUNT')
    const outcome = await cli.json(['trigger', 'F_BIG_COUNT', '--json', '--quiet'])
    expect(outcome).toMatchObject({
      outcome: 'delivered',
      items: { found: 100_000, delivered: 50, postponed: 99_950 },
    })
  })

  it('a feed that never ends', async () => {
    const chunk = Buffer.alloc(256 * 1024, '<item><title>again</title></item>')
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/rss+xml' })
      response.write('<rss version="2.0"><channel><title>On and on</title>')
      const more = () => {
        while (response.write(chunk));
      }
      response.on('drain', more)
      response.on('error', () => undefined)
      more()
    })
    const parsed = await cli.run(['feed', 'parse', url])
    expect(parsed.code).toBe(2)
    expect(parsed.stderr).toMatch(/code: payload_too_large/)
    flow(url, 'F_ENDLESS_COUNT')
    const triggered = await cli.run(['trigger', 'F_ENDLESS_COUNT'])
    expect(triggered.code).toBe(1)
    expect(triggered.stderr).toMatch(/payload_too_large/)
    expect(existsSync(outputOf('F_ENDLESS_COUNT'))).toBe(false)
  })

  it.each(['http://127.0.0.1:9/', 'http://169.254.169.254/latest/meta-data/'])(
    'a redirect to %s',
    async (location) => {
      const url = await serve((_, response) => response.writeHead(302, { location }).end())
      const parsed = await cli.run(['feed', 'parse', url])
      expect(parsed.code).toBe(2)
      expect(parsed.stderr).toMatch(/refused to connect to/)
      flow(url, 'F_LURED_COUNT')
      const triggered = await cli.run(['trigger', 'F_LURED_COUNT'])
      expect(triggered.code).toBe(1)
      expect(triggered.stderr).toMatch(/address_refused/)
      expect(existsSync(outputOf('F_LURED_COUNT'))).toBe(false)
    },
  )

  it('a page that is not a feed, among feeds', async () => {
    const page = cli.write('page.html', '<!doctype html><html><body>hi</body></html>')
    const feed = cli.write(
      'ok.xml',
      '<rss version="2.0"><channel><title>Ok</title></channel></rss>',
    )
    const { code, stdout } = await cli.run(['feed', 'parse', feed, page, '--json'])
    expect(code).toBe(1)
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines).toEqual([
      { title: 'Ok', link: null, items: [] },
      { file: page, error: expect.stringMatching(/not a readable feed/) },
    ])
  })

  it('leaves no partial files behind', () => {
    const left = readdirSync(cli.home, { recursive: true, encoding: 'utf8' })
    expect(left.filter((path) => /(^|\/)\.[^/]*\d{3,}|\.tmp$|unreadable/.test(path))).toEqual([])
  })
})
