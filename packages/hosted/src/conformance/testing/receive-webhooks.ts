import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type Anthropic from '@anthropic-ai/sdk'
import { vi } from 'vitest'
import { z } from 'zod'

interface Delivery {
  body: string
  headers: Record<string, string>
}

/** A reader's own program that receives webhooks. */
export interface WebhookReceiver {
  url: string
  /** For `hosted.webhookPrivateHosts`. */
  host: string
  received: readonly Delivery[]
  /** Waits for the delivery of an event about a resource, and verifies its signature. */
  wait(
    client: Anthropic,
    key: string,
    type: string,
    id: string,
    count?: number,
  ): Promise<Anthropic.Beta.BetaWebhookEvent[]>
  stop(): Promise<void>
}

export const receiveWebhooks = async (): Promise<WebhookReceiver> => {
  const received: Delivery[] = []
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    received.push({ body: Buffer.concat(chunks).toString(), headers: asText(incoming.headers) })
    outgoing.writeHead(204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${z.custom<AddressInfo>().parse(server.address()).port}`
  return {
    url: `http://${host}/hook`,
    host,
    received,
    wait: (client, key, type, id, count = 1) =>
      vi.waitFor(
        () => {
          const found = received
            .map(({ body, headers }) => client.beta.webhooks.unwrap(body, { headers, key }))
            .filter(({ data }) => data.type === type && data.id === id)
          if (found.length < count) throw new Error(`${found.length} deliveries of ${type}`)
          return found
        },
        { timeout: 25_000, interval: 20 },
      ),
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const asText = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

const made = z.looseObject({ id: z.string(), signing_secret: z.string() })

/** The types of the client only know the events of user profiles. */
export const subscribe = async (
  client: Anthropic,
  url: string,
  enabled_events: readonly string[],
) =>
  made.parse(
    await client.beta.organization.webhooks.create(
      z.custom<Anthropic.Beta.Organization.WebhookCreateParams>().parse({ url, enabled_events }),
    ),
  )
