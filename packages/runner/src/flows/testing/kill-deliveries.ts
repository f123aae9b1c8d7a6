import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { flowItem, flowRunSummary, isJsonObject } from '@steward/contract'
import { z } from 'zod'
import { createTemporaryHome } from '../../../../platform/src/testing/temporary-home.ts'

export interface KillOptions {
  kills: number
  /** From 0 up to but not including `limit`. */
  below: (limit: number) => number
}

interface Received {
  item: string
  key: string
  /** When it arrived and, if it was accepted, when it was answered. */
  fromMs: number
  untilMs: number | undefined
}

/** A process that dies this soon after an answer may not have it on disk. */
const UNWRITTEN_MS = 500
const CHILD = join(import.meta.dirname, 'flow-child.ts')
const answer = z.object({ summary: flowRunSummary, items: z.array(flowItem) })

/**
 * Kills the process of a flow at moments that the caller's random numbers choose, while its
 * destination fails in bursts and its feed gets new items. Afterwards every item must have been
 * delivered once, after one model call. Returns what was violated.
 */
export const killDeliveries = async ({ kills, below }: KillOptions): Promise<string[]> => {
  const home = createTemporaryHome()
  const calls: Received[] = []
  const posts: Received[] = []
  const killedAt: number[] = []
  let failing = 0
  let onEvent = (): void => undefined

  const vendor = await serve(async (body) => {
    const call: Received = { item: itemIn(body), key: '', fromMs: Date.now(), untilMs: undefined }
    calls.push(call)
    onEvent()
    await delay(below(10))
    call.untilMs = Date.now()
    return { status: 200, body: completionOf(`Summary of ${call.item}`) }
  })
  const receiver = await serve(async (body, key) => {
    const post: Received = { item: '', key, fromMs: Date.now(), untilMs: undefined }
    const sent: unknown = JSON.parse(body)
    post.item = isJsonObject(sent) ? String(sent.item) : ''
    posts.push(post)
    onEvent()
    if (failing > 0) {
      failing--
      return { status: 503, body: '' }
    }
    if (below(4) === 0) failing = below(6)
    post.untilMs = Date.now()
    return { status: 201, body: '' }
  })
  const names: string[] = []
  const addItems = (count: number): void => {
    for (let each = 0; each < count; each++) names.push(`item-${names.length}`)
    const items = names.map((name) => `<item><guid>${name}</guid><title>${name}</title></item>`)
    const feed = `<rss version="2.0"><channel><title>T</title>${items.join('')}</channel></rss>`
    home.write('USER/FLOWS/feed.xml', feed)
  }
  const start = (): ChildProcess =>
    spawn(process.execPath, [CHILD, home.path, vendor.url], { stdio: ['ignore', 'pipe', 'pipe'] })

  /** Kills the child shortly after the n-th call or delivery of this run. */
  const runAndKill = async (): Promise<void> => {
    const child = start()
    const ended = once(child, 'exit')
    let left = 1 + below(6)
    onEvent = () => {
      if (--left !== 0) return
      void delay(below(30)).then(() => {
        if (child.kill('SIGKILL')) killedAt.push(Date.now())
      })
    }
    await ended
    onEvent = () => undefined
  }
  const runToTheEnd = async (): Promise<z.infer<typeof answer>> => {
    const child = start()
    let text = ''
    let problems = ''
    child.stdout?.on('data', (chunk) => {
      text += chunk
    })
    child.stderr?.on('data', (chunk) => {
      problems += chunk
    })
    const [code] = await once(child, 'close')
    if (code !== 0) throw new Error(`the flow exited ${code}: ${problems}`)
    return answer.parse(JSON.parse(text))
  }

  try {
    home.write('settings.json', SETTINGS)
    home.action('A_SUMMARISE_TITLE', ASK, { requires: ['llm'] })
    home.action('A_PASS_ON', 'return { passed: true }')
    home.pipeline('P_SUMMARY', ['A_SUMMARISE_TITLE', 'A_PASS_ON'])
    home.flows({
      id: 'news',
      name: 'F_NEWS_POST',
      source: { type: 'rss', url: 'feed.xml' },
      pipeline: 'P_SUMMARY',
      destination: { type: 'api', url: receiver.url },
      schedule: { intervalMinutes: 60, enabled: true },
    })
    for (let kill = 0; kill < kills; kill++) {
      addItems(1 + below(3))
      await runAndKill()
    }
    failing = 0
    let last = await runToTheEnd()
    for (let run = 0; run < 10 && last.summary.outcome !== 'nothing-new'; run++) {
      last = await runToTheEnd()
    }
    const states = new Map(last.items.map(({ id, state }) => [id, state]))
    return names.flatMap((name) => [
      ...(states.get(name) === 'delivered' ? [] : [`${name} is ${states.get(name) ?? 'unknown'}`]),
      ...repetitionsOf(name, 'model calls', calls, killedAt),
      ...repetitionsOf(name, 'deliveries', posts, killedAt),
    ])
  } finally {
    vendor.close()
    receiver.close()
    home.remove()
  }
}

/** Only a kill before an answer could be written explains that something happened twice. */
const repetitionsOf = (
  name: string,
  what: string,
  received: readonly Received[],
  killedAt: readonly number[],
): string[] => {
  const accepted = received.filter(({ item, untilMs }) => item === name && untilMs !== undefined)
  if (accepted.length === 0) return [`${name} has no ${what}`]
  if (new Set(accepted.map(({ key }) => key)).size > 1) return [`${name} has several keys`]
  const unexplained = accepted
    .slice(0, -1)
    .filter(({ fromMs, untilMs = 0 }) =>
      killedAt.every((at) => at < fromMs || at > untilMs + UNWRITTEN_MS),
    )
  return unexplained.length === 0 ? [] : [`${name} has ${accepted.length} ${what}`]
}

const SETTINGS = JSON.stringify({
  execution: { fetch: { allowPrivateHosts: ['127.0.0.1'] } },
})
const ASK =
  'const { text } = await context.capabilities.llm(`Summarise <${input.title}>`); return { summary: text }'

const itemIn = (body: string): string => /<(item-\d+)>/.exec(body)?.[1] ?? ''

const completionOf = (content: string): string =>
  JSON.stringify({
    id: 'completion',
    object: 'chat.completion',
    created: 0,
    model: 'stand-in',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  })

type Respond = (body: string, key: string) => Promise<{ status: number; body: string }>

const serve = async (respond: Respond): Promise<{ url: string; close: () => void }> => {
  const server: Server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    if (request.method !== 'POST') {
      response.writeHead(404).end()
      return
    }
    const { status, body } = await respond(text, String(request.headers['idempotency-key'] ?? ''))
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
