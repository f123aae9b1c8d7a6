import { join } from 'node:path'
import { serveLoopback } from '@steward/platform/testing'
import { openLocalRuntime } from '@steward/runner'
import { expect, it, onTestFinished } from 'vitest'
import { serveSmtp } from '../../../../../library/lib/testing/serve-smtp.ts'
import { createTemporaryHome } from '../../../../platform/src/testing/temporary-home.ts'
import { createScheduleTime, startSchedules } from './testing/pass-schedules.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const LIBRARY = join(import.meta.dirname, '../../../../../library')
/** Clocks change on March 8 in New York and on March 29 in Berlin. */
const START = Date.parse('2026-03-02T12:00:00Z')
const END = START + 31 * DAY
const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata']
/** From one instant to the next, the machine is asleep. */
const SLEEPS = [
  ['2026-03-10T04:30:00Z', '2026-03-10T06:10:00Z'],
  ['2026-03-17T22:00:00Z', '2026-03-19T15:00:00Z'],
  ['2026-03-27T05:59:00Z', '2026-03-30T09:00:00Z'],
].map((times) => times.map((time) => Date.parse(time)))

interface Article {
  id: string
  atMs: number
  isWanted: boolean
}

/** Three feeds: each has an article about AI safety every third day, and some about plants. */
const articlesOf = (feed: number): Article[] =>
  Array.from({ length: 33 }, (_, day) => ({
    id: `item-${feed}-${day}`,
    atMs: START + day * DAY - DAY + feed * 5 * HOUR,
    isWanted: (feed + day) % 3 === 0,
  })).filter(({ isWanted }, day) => isWanted || day % 7 === feed)
const FEEDS = [0, 1, 2].map(articlesOf)
/** As long as a feed lists an article. */
const LISTED_MS = 6 * DAY

const serveFeeds = async (now: () => number): Promise<string> => {
  const { url, close } = await serveLoopback((request, response) => {
    const articles = FEEDS[Number(request.url?.slice(1))] ?? []
    const listed = articles.filter(({ atMs }) => atMs <= now() && atMs > now() - LISTED_MS)
    const items = listed.map(({ id, isWanted }) => {
      const about = isWanted ? 'AI safety' : 'gardening'
      const link = `https://news.example/${id}`
      return `<item><guid>${link}</guid><title>${id}</title><link>${link}</link>
        <description>News about ${about}. More follows.</description></item>`
    })
    response.end(`<rss version="2.0"><channel><title>T</title>${items.join('')}</channel></rss>`)
  })
  onTestFinished(close)
  return url
}

/** Due instants by looking at the wall clock of each quarter of an hour. */
const dueTimes = (timeZone: string): number[] => {
  const options = { weekday: 'short', hour: '2-digit', minute: '2-digit' } as const
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, hourCycle: 'h23', ...options })
  const isDue = (atMs: number) => /^(?:Mon|Tue|Wed|Thu|Fri),? 07:00$/.test(format.format(atMs))
  return Array.from(
    { length: (END - START) / (15 * MINUTE) },
    (_, n) => START + n * 15 * MINUTE,
  ).filter(isDue)
}

/** When a machine that sleeps gets to work that is due: at once, or when it wakes up. */
const wakingAt = (atMs: number): number =>
  SLEEPS.find(([from = 0, to = 0]) => atMs >= from && atMs < to)?.[1] ?? atMs

/** The expected mails of a zone: its time, and the articles in it. */
const expectedMails = (zone: string): { atMs: number; ids: string[] }[] => {
  const sent = new Set<string>()
  const times = [...new Set(dueTimes(zone).map(wakingAt))]
  return times.flatMap((atMs) => {
    const ids = FEEDS.flat()
      .filter((each) => each.isWanted && each.atMs <= atMs && each.atMs > atMs - LISTED_MS)
      .map(({ id }) => id)
      .filter((id) => !sent.has(id))
    for (const id of ids) sent.add(id)
    return ids.length === 0 ? [] : [{ atMs, ids: ids.toSorted() }]
  })
}

it('sends one mail about AI safety from three feeds every weekday at 7, in three time zones', async () => {
  const time = createScheduleTime(START)
  const { now } = time
  const { mails, url } = await serveSmtp()
  const feeds = await serveFeeds(now)
  const home = createTemporaryHome()
  home.write(
    'settings.json',
    JSON.stringify({ execution: { fetch: { allowPrivateHosts: ['127.0.0.1'] } } }),
  )
  home.pipeline('P_SUMMARY', ['A_SUMMARIZE'])
  home.flows(
    ...ZONES.map((timezone, index) => ({
      id: `paper-${index}`,
      name: `F_PAPER_${index}`,
      sources: FEEDS.map((_, feed) => ({ type: 'rss', url: `${feeds}/${feed}` })),
      filter: 'content.contains("AI safety")',
      pipeline: 'P_SUMMARY',
      digest: { title: '{count} on AI safety, {date}', order: 'title' },
      destination: { type: 'email', address: `zone-${index}@example.com` },
      schedule: { at: '07:00', days: 'mon-fri', timezone, runsOn: 'here', catchUp: 'once' },
    })),
  )
  const steward = await openLocalRuntime({
    env: { STEWARD_HOME: home.path, LLM_PROVIDER: 'offline', SMTP_URL: url, MAIL_FROM: 'me@host' },
    homedir: home.path,
    builtIn: LIBRARY,
    now,
  })
  const outcomes: string[] = []
  const arrivals: number[] = []
  const schedules = await startSchedules(steward, time, (outcome) => {
    outcomes.push(outcome)
    while (arrivals.length < mails.length) arrivals.push(now())
  })
  // Awake around each moment at which something may happen, and once between them.
  const moments = [...ZONES.flatMap(dueTimes), ...SLEEPS.map(([, to = 0]) => to)]
    .filter((atMs) => wakingAt(atMs) === atMs)
    .toSorted((one, other) => one - other)
  for (const atMs of moments) {
    time.sleepUntil(atMs)
    await schedules.pass(MINUTE)
  }
  await schedules.stop()
  await steward.close()
  home.remove()

  expect(outcomes.filter((each) => each !== 'delivered' && each !== 'nothing-new')).toEqual([])
  const read = mails.map(({ to, raw }, index) => {
    const text = raw.replace(/=\r\n/g, '')
    return {
      to: to.join(),
      atMs: arrivals[index] ?? 0,
      ids: [...new Set(text.match(/item-\d-\d+/g))].toSorted(),
      subject: /^Subject: (.*)$/m.exec(text)?.[1],
      isComplete: /text\/plain/.test(text) && /text\/html/.test(text),
    }
  })
  for (const [index, zone] of ZONES.entries()) {
    const expected = expectedMails(zone)
    const own = read.filter(({ to }) => to === `zone-${index}@example.com`)
    expect(own.map(({ ids }) => ids)).toEqual(expected.map(({ ids }) => ids))
    for (const [place, { atMs, ids }] of expected.entries()) {
      const mail = own[place]
      expect(Math.abs((mail?.atMs ?? 0) - atMs)).toBeLessThan(2 * MINUTE)
      expect(mail?.subject).toMatch(new RegExp(`^${ids.length} on AI safety, 2026-0[34]-\\d\\d`))
      expect(mail?.isComplete).toBe(true)
    }
  }
  expect(read.length).toBeGreaterThan(55)
}, 120_000)
