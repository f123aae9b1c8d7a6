import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { API, toWikiSegment, wikiDocumentAnswer, wikiSearchAnswer } from '@steward/contract'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { type Cli, createCli } from './cli-process.ts'
import { type DaemonProcess, startDaemonProcess } from './daemon-process.ts'
import { findMissingBrowser, openBrowser } from './voice-browser.ts'

let cli: Cli
let daemon: DaemonProcess | undefined
beforeEach(() => {
  cli = createCli()
})
afterEach(async () => {
  await daemon?.kill()
  cli.remove()
})

const ANY_MOMENT = { timeout: 20_000, interval: 20 }

const get = async (path: string) => {
  if (daemon === undefined) throw new Error('no daemon')
  const response = await daemon.fetch(`/api/wiki${path}`)
  return { status: response.status, body: await response.json() }
}
const search = async (query: string) =>
  wikiSearchAnswer.parse((await get(`/search?q=${encodeURIComponent(query)}`)).body)
const idsOf = async (query: string) => (await search(query)).results.map(({ id }) => id)
const show = async (id: string) =>
  wikiDocumentAnswer.parse((await get(`/${encodeURIComponent(toWikiSegment(id))}`)).body)

const ATTACKS = [
  '# Attack <script>window.hit = 1</script>',
  '<script>window.hit = 2</script>',
  '<img src=x onerror="window.hit = 3"> <svg onload="window.hit = 4">',
  '[click](javascript:window.hit=5) [click](data:text/html,<script>1</script>) <javascript:window.hit=6>',
  '![seen](https://elsewhere.example/pixel.png) ![" onerror="window.hit=7](x)',
  '[[" onmouseover="window.hit=8]] [[docs/feeds|<img src=x onerror=window.hit=9>]]',
  '```"><script>window.hit=10</script>\n</code></pre><script>window.hit=11</script>\n```',
  '| <iframe src="https://elsewhere.example"> |\n| - |\n| <style>body{display:none}</style> |',
  '<a href="javascript:window.hit=12">x</a> <form action="https://elsewhere.example"><input autofocus onfocus="window.hit=13">',
].join('\n\n')

test('documents from the first start to a save, a traversal attempt and an attack on the browser', async () => {
  const handbook = (path: string) => join(cli.files, 'handbook', path)
  const write = (path: string, text: string) => {
    mkdirSync(dirname(handbook(path)), { recursive: true })
    writeFileSync(handbook(path), text)
  }
  write(
    'guide.md',
    '# Guide\n\n## Getting started\n\nThe zeppelin needs hydrogen. See [[feeds]].\n',
  )
  write('attack.md', ATTACKS)
  symlinkSync(join(cli.home, 'token'), handbook('token.md'))
  cli.write('settings.json', JSON.stringify({ wiki: { directories: { handbook: '~/handbook' } } }))
  daemon = await startDaemonProcess(cli)
  await vi.waitFor(async () => {
    expect((await get('')).body).toMatchObject({ indexing: false })
  }, ANY_MOMENT)

  // The index contains the program's own pages as packaged, and no path of this machine.
  const { body } = await get('')
  const index = z.parse(API.getWiki.answer, body)
  const groups = index.groups.map(({ name }) => name)
  expect(groups).toEqual(
    expect.arrayContaining([
      'docs',
      'handbook',
      'hooks',
      'actions',
      'pipelines',
      'flows',
      'skills',
    ]),
  )
  expect(index.documents.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['docs/wiki', 'handbook/guide', 'actions/A_SUMMARIZE']),
  )
  expect(index.findings).toEqual([
    { file: 'handbook/token.md', reason: expect.stringContaining('link') },
  ])
  expect(JSON.stringify(body)).not.toContain(cli.files)

  // A search with a typo returns the location, the matching words and the reason.
  const found = await search('zepelin hydrogen')
  expect(found).toMatchObject({ total: 1, corrections: [{ word: 'zepelin', used: ['zeppelin'] }] })
  expect(found.results[0]).toMatchObject({ id: 'handbook/guide', anchor: 's-getting-started' })
  expect(found.results[0]?.snippet).toContainEqual({ text: 'zeppelin', hit: true })
  expect(found.results[0]?.why[0]).toMatchObject({ part: 'text' })

  // The typo in the command's help is corrected, so no page of the documentation may contain it.
  const [, typo = ''] =
    /wiki search (\w+) +typos/.exec((await cli.run(['wiki', '--help'])).stdout) ?? []
  expect(await search(typo)).toMatchObject({ corrections: [{ word: typo, used: ['watchdog'] }] })

  // A page saved in an editor is found automatically, as is a note, which the list of notes finds
  // too.
  write('guide.md', '# Guide\n\nNow a submarine. See [[feeds]].\n')
  await vi.waitFor(
    async () => expect(await idsOf('submarine')).toEqual(['handbook/guide']),
    ANY_MOMENT,
  )
  expect((await search('zeppelin')).matched).toBe('none')
  write('new/page.md', 'A bathyscaphe.')
  const note = join(cli.home, 'MEMORY/KNOWLEDGE/Ideas/dive.md')
  writeFileSync(note, 'Of the [[guide]], bathyscaphe.\n')
  await vi.waitFor(
    async () =>
      expect((await idsOf('bathyscaphe')).toSorted()).toEqual([
        'handbook/new/page',
        'knowledge/Ideas/dive',
      ]),
    ANY_MOMENT,
  )
  const notes = await daemon.fetch('/api/knowledge?q=bathyscafe')
  expect(await notes.json()).toMatchObject({ matched: 1, notes: [{ slug: 'dive' }] })
  const guide = await show('handbook/guide')
  expect(guide.links.map(({ id }) => id)).toEqual(['docs/feeds'])
  expect(guide.backlinks.map(({ id }) => id)).toEqual(['knowledge/Ideas/dive'])
  const graph = await get('/graph?around=handbook%2Fguide')
  expect(graph.body).toMatchObject({ edges: { length: 2 } })

  // Only indexed documents can be requested.
  const ids = [
    'handbook/../../home/token',
    'handbook:..:..:home:token',
    'handbook:token',
    '..',
    '../x',
  ]
  for (const id of ids) {
    const answer = await get(`/${encodeURIComponent(id)}`)
    expect([400, 404]).toContain(answer.status)
    expect(JSON.stringify(answer.body)).not.toContain(daemon.token())
  }

  // The index survives a killed daemon, and a damaged index is rebuilt.
  await daemon.kill()
  rmSync(note)
  const database = join(cli.home, 'state/search.sqlite')
  // Its journal would repair it.
  for (const ending of ['-wal', '-shm']) rmSync(`${database}${ending}`, { force: true })
  writeFileSync(database, 'damaged '.repeat(1000))
  daemon = await startDaemonProcess(cli)
  await vi.waitFor(
    async () => expect(await idsOf('bathyscaphe')).toEqual(['handbook/new/page']),
    ANY_MOMENT,
  )
  expect(daemon.stderr()).toContain('is damaged and is rebuilt')
  const shown = await cli.run(['wiki', 'search', 'bathyscaphe', '--json'], {
    env: { HOME: cli.files },
  })
  expect(JSON.parse(shown.stdout)).toMatchObject({ results: [{ id: 'handbook/new/page' }] })

  const missing = findMissingBrowser()
  if (missing !== undefined) {
    console.warn(`without a browser: ${missing}`)
    return
  }
  // Loads the HTML as a whole page without a content policy, so that any active content would run.
  const browser = await openBrowser()
  try {
    const page = await browser.newPage()
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    const { html } = await show('handbook/attack')
    await page.setContent(html, { waitUntil: 'load' })
    for (const link of await page.locator('a').all()) await link.hover()
    const seen = await page.evaluate(() => ({
      hit: Reflect.get(window, 'hit') ?? null,
      tags: [
        ...new Set([...document.body.querySelectorAll('*')].map(({ localName }) => localName)),
      ],
      handlers: [...document.querySelectorAll('*')].flatMap(({ attributes }) =>
        [...attributes].map(({ name }) => name).filter((name) => name.startsWith('on')),
      ),
      links: [...document.links].map((link) => link.getAttribute('href')),
      text: document.body.innerText,
    }))
    expect(seen).toMatchObject({ hit: null, handlers: [] })
    expect(
      seen.tags.filter((tag) =>
        ['script', 'img', 'svg', 'iframe', 'style', 'form', 'input'].includes(tag),
      ),
    ).toEqual([])
    expect([...new Set(seen.links)]).toEqual(['/wiki/docs/feeds', 'https://elsewhere.example'])
    expect(seen.text).toContain('<script>window.hit = 2</script>')
    expect(requests.filter((address) => !address.startsWith('about:'))).toEqual([])
  } finally {
    await browser.close()
  }
})
