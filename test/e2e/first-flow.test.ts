import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { flowIndex } from '@steward/contract'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Cli, createCli, writeAction } from './cli-process.ts'

let cli: Cli
beforeEach(() => {
  cli = createCli()
})
afterEach(() => cli.remove())

const outputOf = (file: string): string => readFileSync(join(cli.home, 'OUTPUT', file), 'utf8')

it('a new flow delivers immediately, without a network, a key or an edit', async () => {
  expect(await cli.run(['new', 'flow', 'F_NOTES_DIGEST'])).toMatchObject({ code: 0 })
  const triggered = await cli.run(['trigger', 'F_NOTES_DIGEST'])
  expect(triggered).toMatchObject({ code: 0, stdout: expect.stringContaining('delivered') })
  expect(triggered.stderr).toContain('delivered: first')
  expect(outputOf('notes-digest.md')).toContain('Steward reads every file in this folder once.')
})

it('the first example of docs/flows.md runs as written', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/flows.md'), 'utf8')
  const [, registry = ''] = /^```json\n(.*?)^```$/ms.exec(page) ?? []
  const [, commands = ''] = /^```sh\n(.*?)^```$/ms.exec(page) ?? []
  const { flows } = flowIndex.parse(JSON.parse(registry))
  const { source, destination } = flows[0] ?? {}
  if (source?.type !== 'rss' || destination?.type !== 'file') throw new Error('another example')

  await using feed = await serveFeed()
  cli.write('USER/FLOWS/flow-index.json', registry.replace(source.url, feed.url))
  cli.write(
    'settings.json',
    JSON.stringify({ execution: { fetch: { allowPrivateHosts: [new URL(feed.url).host] } } }),
  )
  for (const command of commands.trim().split('\n')) {
    const [program, ...args] = command.replace(/\s+#.*$/, '').split(' ')
    expect(program).toBe('steward')
    expect(await cli.run(args)).toMatchObject({ code: 0 })
  }
  expect(outputOf(destination.path)).toContain('Storm over the harbour')
})

it('the output that an action prints goes to stderr, however its run is started', async () => {
  writeAction(
    cli,
    'A_PRINT_MUCH',
    `import console from 'node:console'
console.log('while loading')
export const execute = async (_, { capabilities }) => {
  globalThis.console.log('logged')
  console.info('informed')
  console.table([{ a: 1 }])
  console.dir({ b: 2 })
  console.debug('debugged')
  if ((await capabilities.readFile('fail')) === 'yes') throw new Error('asked to fail')
  return { done: true }
}`,
    { requires: ['readFile'] },
  )
  const pipeline = 'name: P_PRINT_TWICE\ndescription: x\nactions: [A_PRINT_MUCH, A_PRINT_MUCH]\n'
  cli.write('USER/PIPELINES/P_PRINT_TWICE.yaml', pipeline)
  cli.write('USER/FLOWS/in/one.md', 'One text.')
  const flow = {
    id: 'print',
    name: 'F_TEXTS_PRINT',
    source: { type: 'file', path: 'in', format: 'text' },
    pipeline: 'P_PRINT_TWICE',
    destination: { type: 'file', path: 'out.md' },
    schedule: { intervalMinutes: 60, enabled: true },
  }
  cli.write('USER/FLOWS/flow-index.json', JSON.stringify({ flows: [flow] }))
  for (const args of [
    ['run', 'P_PRINT_TWICE', '--local', '{}'],
    ['rerun', 'last', '--from', '2'],
    ['runs', 'resume', 'last'],
    ['trigger', 'F_TEXTS_PRINT', '--json'],
  ]) {
    cli.write('fail', 'yes')
    if (args.includes('resume')) await cli.run(['run', 'A_PRINT_MUCH', '--local', '{}'])
    cli.write('fail', 'no')
    const { code, stdout, stderr } = await cli.run(args)
    expect({ args, code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('logged'),
    })
    expect(() => JSON.parse(stdout)).not.toThrow()
  }
})

it('a run is found by `last` and by the id in the list', async () => {
  await cli.run(['run', 'A_FORMAT_MARKDOWN', '--local', '--title', 'One'])
  await cli.run(['run', 'A_FORMAT_MARKDOWN', '--local', '--title', 'Two'])
  const { stdout } = await cli.run(['runs'])
  const [, latest = '', earlier = ''] = stdout.split('\n').map((line) => line.split(' ')[0])
  expect([latest, earlier]).toEqual([
    expect.stringMatching(/^[0-9a-f]{8}$/),
    expect.stringMatching(/^[0-9a-f]{8}$/),
  ])
  expect(await cli.json(['runs', 'show', 'last', '--json'])).toMatchObject({
    id: expect.stringMatching(new RegExp(`${latest}$`)),
    input: { title: 'Two' },
  })
  expect(await cli.json(['runs', 'show', earlier, '--json'])).toMatchObject({
    input: { title: 'One' },
  })
  const completed = await cli.run(['__complete', '--', 'runs', 'cancel', ''])
  expect(completed.stdout.split('\n')).toEqual(['last', latest, earlier, ''])
  const shared = await cli.run(['runs', 'show', '0'])
  expect(shared).toMatchObject({ code: 4 })
  expect(shared.stderr).toMatch(/run 0 could be [0-9a-f-]{36} \(A_FORMAT_MARKDOWN\), /)
})

/** A loopback feed in place of one on the web, with whole articles, so that no page is fetched. */
const serveFeed = async () => {
  const text = 'The storm reached the harbour at noon. Boats stayed in port all day. '.repeat(8)
  const item = `<item><guid>1</guid><title>Storm over the harbour</title><description>${text}</description></item>`
  const server = createServer((_, response) =>
    response
      .writeHead(200, { 'content-type': 'application/rss+xml' })
      .end(`<rss version="2.0"><channel><title>News</title>${item}</channel></rss>`),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}/feed.xml`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
