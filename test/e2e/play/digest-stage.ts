import { once } from 'node:events'
import { SMTPServer } from 'smtp-server'
import { serveLoopback } from '../../../packages/platform/src/testing/serve-loopback.ts'
import { type OpenStage, writeSettings } from './stages.ts'

/** Two articles of each feed; only the first is about the topic. */
const FEEDS: Readonly<Record<string, readonly [about: string, other: string]>> = {
  one: ['Audits for AI safety', 'A bridge over the bay'],
  two: ['AI safety in hospitals', 'Rain in the south'],
  three: ['Funds for AI safety', 'A new kind of tea'],
}
const NAMES = Object.keys(FEEDS)

const articleOf = (title: string): string =>
  `${title}. `.repeat(2) +
  'The report describes what was tested, who tested it, and what the results mean for readers. '.repeat(
    4,
  )

/** Three feeds and a mail server on loopback; exactly one mail with the wanted articles must arrive. */
export const openDigest: OpenStage = async (home) => {
  const feeds = await serveLoopback(({ url = '' }, response) => {
    const [name = ''] = /[a-z]+(?=\.xml$)/.exec(url) ?? []
    const items = (FEEDS[name] ?? []).map(
      (title) =>
        `<item><guid isPermaLink="false">${title}</guid><title>${title}</title><description>${articleOf(title)}</description></item>`,
    )
    response.end(
      `<rss version="2.0"><channel><title>${name}</title>${items.join('')}</channel></rss>`,
    )
  })
  const mails: string[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: async (stream, _, done) => {
      const chunks: Buffer[] = []
      for await (const chunk of stream) chunks.push(Buffer.from(chunk))
      mails.push(Buffer.concat(chunks).toString().replaceAll('=\r\n', ''))
      done()
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const address = server.server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  writeSettings(home, { execution: { fetch: { allowPrivateHosts: [feeds.host] } } })
  return {
    fill: {
      'smtps://me%40example.com:password@mail.example.com': `smtp://127.0.0.1:${port}`,
      ...Object.fromEntries(
        NAMES.map((name) => [`https://example.com/${name}.xml`, `${feeds.url}/${name}.xml`]),
      ),
    },
    findFaults: () => {
      const [mail = ''] = mails
      const isOne = mails.length === 1 ? [] : [`${mails.length} mails arrived instead of one`]
      const wrong = Object.values(FEEDS).flatMap(([about, other]) => [
        ...(mail.includes(about) ? [] : [`the mail lacks "${about}"`]),
        ...(mail.includes(other) ? [`the mail has "${other}"`] : []),
      ])
      return [...isOne, ...wrong]
    },
    close: async () => {
      await feeds.close()
      await new Promise<void>((resolve) => server.close(resolve))
    },
  }
}
