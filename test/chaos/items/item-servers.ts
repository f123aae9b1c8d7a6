import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { isJsonObject } from '@steward/contract'
import type { Random } from '../random.ts'

/** One request that a stand-in accepted. */
export interface Received {
  /** `item-3` for a delivery, `item-3 JUDGE` for a model call of that step. */
  what: string
  /** Its Idempotency-Key; requests with the same key are paid for and stored once. */
  key: string
  /** How many kills there had been. */
  life: number
}

/** The outside world of the flow: its feed, the model's vendor and the destination. */
export interface ItemServers {
  feedUrl: string
  vendorUrl: string
  destinationUrl: string
  calls: Received[]
  deliveries: Received[]
  items: string[]
  addItems: (count: number) => void
  /** Counts the kills, so that requests before and after one can be told apart. */
  beginLife: () => void
  /** Called at the beginning and end of every request. */
  onEvent: (listen: () => void) => void
  /** The destination fails in bursts until this is called. */
  heal: () => void
  close: () => void
}

/** Every ninth item is one that the destination never accepts. */
export const isUnwanted = (item: string): boolean => Number(item.split('-')[1]) % 9 === 8

export const serveItems = async ({ below }: Random): Promise<ItemServers> => {
  const items: string[] = []
  const calls: Received[] = []
  const deliveries: Received[] = []
  const answers = new Map<string, string>()
  let life = 0
  let failing = 0
  let isHealed = false
  let listener = (): void => undefined

  const answerModel = async (body: string, key: string): Promise<Answer> => {
    const what = `${/<(item-\d+)>/.exec(body)?.[1]} ${/step ([A-Z]+)/.exec(body)?.[1]}`
    calls.push({ what, key, life })
    const known = answers.get(key)
    await delay(below(10))
    const answer = known ?? completionOf(`answer to ${what}.`)
    if (key !== '') answers.set(key, answer)
    return { status: 200, body: answer }
  }
  const takeDelivery = (body: string, key: string): Answer => {
    const sent: unknown = JSON.parse(body)
    const item = isJsonObject(sent) ? String(sent.item) : ''
    if (!isHealed && failing > 0) {
      failing--
      return { status: 503, body: '' }
    }
    if (below(4) === 0) failing = below(6)
    if (isUnwanted(item)) return { status: 422, body: '' }
    deliveries.push({ what: item, key, life })
    return { status: 201, body: '' }
  }
  const feed = (): Answer => {
    const entries = items.map((name) => `<item><guid>${name}</guid><title>${name}</title></item>`)
    return {
      status: 200,
      body: `<rss version="2.0"><channel><title>T</title>${entries.join('')}</channel></rss>`,
    }
  }

  const server = createServer(async (request, response) => {
    const text = await readBody(request)
    if (text === undefined) return
    const key = String(request.headers['idempotency-key'] ?? '')
    const path = request.url ?? ''
    const isPost = request.method === 'POST'
    if (isPost) listener()
    const { status, body } = path.startsWith('/feed')
      ? feed()
      : path.startsWith('/items') && isPost
        ? takeDelivery(text, key)
        : isPost
          ? await answerModel(text, key)
          : { status: 404, body: '' }
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
    if (isPost) listener()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = `http://127.0.0.1:${Object(server.address()).port}`
  return {
    feedUrl: `${address}/feed`,
    vendorUrl: `${address}/v1`,
    destinationUrl: `${address}/items`,
    calls,
    deliveries,
    items,
    addItems: (count) => {
      for (let each = 0; each < count; each++) items.push(`item-${items.length}`)
    },
    beginLife: () => {
      life++
    },
    onEvent: (listen) => {
      listener = listen
    },
    heal: () => {
      isHealed = true
    },
    close: () => server.close().closeAllConnections(),
  }
}

/** Undefined if the sender was killed before all of it was sent. */
const readBody = async (request: IncomingMessage): Promise<string | undefined> => {
  let text = ''
  try {
    for await (const chunk of request) text += chunk
    return text
  } catch {
    return undefined
  }
}

interface Answer {
  status: number
  body: string
}

const completionOf = (content: string): string =>
  JSON.stringify({
    id: 'completion',
    object: 'chat.completion',
    created: 0,
    model: 'stand-in',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  })
