import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { type BusyDaemon, startBusyDaemon } from './busy-daemon.ts'
import type { Fault, World } from './world.ts'

const put = ({ home }: World, path: string, text: string): void => {
  const file = join(home, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

const nested = (depth: number): string => `<html><body>${'<div>'.repeat(depth)}text`
/** The pages that once froze the daemon, and those that take longest within every limit. */
const PAGES: Record<string, string> = {
  'a page of 5 KB, deeply nested': nested(1000),
  'a page of 1.5 MB, deeply nested': nested(300_000),
  'the slowest page': `<html><body>${'<p><a href=x>words, words</a></p>'.repeat(15_500)}`,
  'the slowest page with an article': `<html><body>${'<div style="display:none" class="comment">words</div>'.repeat(4250)}`,
  'a text inside of many elements': `<html><body>${'<div>'.repeat(190)}${'word '.repeat(300_000)}`,
  'overlong attributes': `<html><body><p>words<img srcset="${'x'.repeat(400_000)} y" class="${'x '.repeat(200_000)}">`,
  'a page of signs that begin no tag': `<html><body>${'< '.repeat(400_000)}`,
}
/** As much as one request may carry. */
const REQUEST_CHARS = 900_000

type Route = (daemon: BusyDaemon, html: string, site: Site) => Promise<unknown>

interface Site {
  address: string
  page: string
}

let notes = 0

/** Every way for a page into the daemon. Hosted agents read theirs in a process of their own: see web-fetch.test.ts. */
const ROUTES: Record<string, Route> = {
  'given to A_EXTRACT_ARTICLE': ({ run }, html) =>
    run('A_EXTRACT_ARTICLE', { html: html.slice(0, REQUEST_CHARS) }),
  'fetched by A_EXTRACT_ARTICLE': ({ run }, html, site) => {
    site.page = html
    return run('A_EXTRACT_ARTICLE', { url: site.address })
  },
  'read as a feed': ({ run }, html, site) => {
    site.page = html
    return run('F_READ_PAGE')
  },
  'read as a feed from a file': ({ run, world }, html) => {
    put(world, 'feed.xml', html)
    return run('F_READ_FILE')
  },
  'summarized by the offline model': ({ run }, html) =>
    run('A_SUMMARIZE', { content: html.slice(0, REQUEST_CHARS) }),
  'stored with a run and shown': async ({ client, run }, html) => {
    await run('A_EXTRACT_ARTICLE', { html: html.slice(0, REQUEST_CHARS) })
    await client.call('getRun', { params: { id: 'last' } })
  },
  'shown in a preview': ({ client }, html) =>
    client.call('previewMarkdown', { body: { content: html.slice(0, REQUEST_CHARS) } }),
  'captured as a note and shown in the wiki': async ({ client }, html) => {
    const slug = `page-${notes++}`
    const body = html.slice(0, REQUEST_CHARS)
    await client.call('createNote', { body: { domain: 'Ideas', title: slug, slug, body } })
    await client.call('getNote', { params: { domain: 'Ideas', slug } })
    await client.call('searchWiki', { query: { q: 'text' } })
    await client.call('getWikiDocument', { params: { id: `knowledge:Ideas:${slug}` } })
  },
}

/** Pages that take a parser long leave the daemon answering, whichever way they come in. */
export const readFreezingPages: Fault = async () => {
  const site: Site = { address: '', page: '' }
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(site.page)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${Object(server.address()).port}`
  site.address = `http://${host}/`
  const daemon = await startBusyDaemon((world) => {
    const fetch = { allowPrivateHosts: [host] }
    put(world, 'settings.json', JSON.stringify({ execution: { fetch } }))
    const flowOf = (name: string, url: string) => ({
      id: name.toLowerCase(),
      name,
      source: { type: 'rss', url },
      pipeline: 'P_SUM_UP',
      destination: { type: 'file', path: `${name}.jsonl`, format: 'jsonl' },
      schedule: { intervalMinutes: 60, enabled: true },
    })
    const flows = [
      flowOf('F_READ_PAGE', site.address),
      flowOf('F_READ_FILE', join(world.home, 'feed.xml')),
    ]
    put(world, 'USER/FLOWS/flow-index.json', JSON.stringify({ flows }))
    const pipeline = 'name: P_SUM_UP\ndescription: d\nactions: [A_SUMMARIZE]\n'
    put(world, 'USER/PIPELINES/P_SUM_UP.yaml', pipeline)
  })
  try {
    const violations: string[] = []
    for (const [page, html] of Object.entries(PAGES)) {
      const harmless = `<html><body><p>${'words, words '.repeat(html.length / 13)}</p></body></html>`
      for (const [route, read] of Object.entries(ROUTES)) {
        const found = await daemon.compare(
          `${page}, ${route}`,
          () => read(daemon, html, site),
          () => read(daemon, harmless, site),
        )
        violations.push(...found)
      }
    }
    return violations
  } finally {
    await daemon.close()
    server.close()
  }
}

const HOSTILE: Record<string, string> = {
  A_LOOP_SHORT: 'while (true) {}',
  A_EXIT_NOW: 'process.exit(0)',
  A_REJECT_LATER: "Promise.reject(new Error('floating')); await new Promise(() => {})",
  A_TAKE_MEMORY:
    'const kept = []; while (kept.length < 40) kept.push(Buffer.alloc(1e8, 1)); return {}',
  A_FILL_HEAP: 'const kept = []; while (true) kept.push(new Array(1e6).fill(kept.length))',
  A_RETURN_MUCH: "return { text: 'x'.repeat(1e8) }",
  A_PRINT_MUCH: "for (let n = 0; n < 1e5; n++) console.log('x'.repeat(1000)); return {}",
  A_FORK_MUCH:
    "for (let n = 0; n < 1000; n++) (await import('node:child_process')).spawn('sleep', ['60']); return {}",
  A_READ_TOKEN:
    "return { token: (await import('node:fs')).readFileSync(input.home + '/token', 'utf8') }",
  A_READ_ENV: 'return { ...process.env, names: Object.keys(process.env).length }',
  A_REACH_DAEMON: "return { health: await (await fetch(input.address + '/health')).text() }",
  A_KILL_DAEMON: "process.kill(input.pid, 'SIGKILL'); return {}",
}

/** Twelve hostile actions at once beside good ones leave the daemon answering. */
export const runHostileActions: Fault = async () => {
  const daemon = await startBusyDaemon((world) => {
    for (const [name, code] of Object.entries({ ...HOSTILE, A_SAY_HI: 'return { hi: true }' })) {
      const manifest = { name, description: name, input: {}, output: {}, timeoutMs: 3000 }
      put(world, `USER/ACTIONS/${name}/action.json`, JSON.stringify(manifest))
      put(
        world,
        `USER/ACTIONS/${name}/action.mjs`,
        `export const execute = async (input) => { ${code} }\n`,
      )
    }
  })
  try {
    const { run, world, address, pid } = daemon
    const input = { home: world.home, address, pid }
    const names = Object.keys(HOSTILE)
    const good: string[] = []
    const runGood = async () => good.push(await run('A_SAY_HI'))
    const violations = await daemon.compare(
      'twelve hostile actions beside good ones',
      () => Promise.all(names.flatMap((name) => [run(name, input), runGood()])),
      () => Promise.all(names.map(runGood)),
    )
    const failed = good.filter((end) => end !== 'completed')
    return failed.length === 0
      ? violations
      : [...violations, `${failed.length} good actions failed: ${failed[0]}`]
  } finally {
    await daemon.close()
  }
}
