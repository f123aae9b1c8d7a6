import { createServer, type ServerResponse } from 'node:http'
import { isJsonObject, parseJson } from '@steward/contract'

export interface ShownPush {
  topic: string
  id: string
  title: string
  message: string
  buttons: { label: string; url: string; body: string }[]
}

/** An ntfy server on loopback: keeps messages by topic, streams them, and removes them from phones. */
export const serveTopics = async () => {
  const kept: { id: string; topic: string; message: string }[] = []
  const shown: ShownPush[] = []
  const followers = new Set<{ topics: string[]; response: ServerResponse }>()
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
    const body = Buffer.concat(chunks).toString()
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://ntfy')
    const [topic = '', rest] = pathname.slice(1).split('/')
    if (request.method === 'DELETE') {
      const at = shown.findIndex((push) => push.topic === topic && push.id === rest)
      if (at !== -1) shown.splice(at, 1)
      return response.end('{}')
    }
    if (request.method === 'GET') {
      const topics = topic.split(',')
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      response.write('{"id":"open","event":"open","topic":"x"}\n')
      const after = kept.findIndex(({ id }) => id === searchParams.get('since'))
      for (const message of kept.slice(after + 1))
        if (topics.includes(message.topic)) send(response, message)
      const follower = { topics, response }
      followers.add(follower)
      response.once('close', () => followers.delete(follower))
      return
    }
    const { title = '', actions, 'x-sequence-id': id = '' } = request.headers
    if (typeof actions === 'string') {
      const parsed = parseJson(decode(actions), 'actions')
      const buttons = (parsed.ok && Array.isArray(parsed.value) ? parsed.value : [])
        .filter(isJsonObject)
        .map(({ label, url, body: text }) => ({
          label: String(label),
          url: String(url),
          body: String(text),
        }))
      shown.push({ topic, id: String(id), title: String(title), message: body, buttons })
    }
    const message = { id: `m${kept.length}`, topic, message: body }
    kept.push(message)
    for (const follower of followers) {
      if (follower.topics.includes(topic)) send(follower.response, message)
    }
    response.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    address: `http://127.0.0.1:${isJsonObject(address) ? address.port : 0}`,
    /** What phones show now. */
    shown,
    /** The phone sends the request of a button. */
    press: async (push: ShownPush | undefined, label: string): Promise<void> => {
      const button = push?.buttons.find((each) => each.label === label)
      if (button === undefined) throw new Error(`no button ${label}`)
      await fetch(button.url, { method: 'POST', body: button.body })
    },
    followers: () => followers.size,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const send = (response: ServerResponse, message: object): void => {
  response.write(`${JSON.stringify({ time: 1, event: 'message', ...message })}\n`)
}

/** Headers with other than ASCII characters are encoded words. */
const decode = (header: string): string =>
  header.replaceAll(/=\?utf-8\?b\?([^?]*)\?=\s*/gi, (_, text: string) =>
    Buffer.from(text, 'base64').toString(),
  )
