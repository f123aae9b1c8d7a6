import { StewardError } from '@steward/contract'
import type { Io } from '../../io.ts'
import { COMMAND } from '../../setup/command-name.ts'
import { readHostedHome } from './hosted-home.ts'
import { KEY_VARIABLE, type TargetFlags, VENDOR_KEY_VARIABLE } from './target.ts'
import type { HostedClient } from './types.ts'

export interface Connection {
  client: HostedClient
  kind: 'own' | 'url' | 'vendor'
  /** For messages: its address, or the vendor. */
  where: string
  /** Options to append to a suggested command, so that it goes to the same server. */
  suffix: string
}

interface Address {
  kind: Connection['kind']
  apiKey: string
  baseURL: string | undefined
  suffix: string
}

/** The unmodified official client, connected to the chosen server. */
export const connect = async (io: Io, flags: TargetFlags): Promise<Connection> => {
  const { kind, apiKey, baseURL, suffix } = await findAddress(io, flags)
  // Loaded lazily, because it is slow to load and most commands never need it.
  const { default: Anthropic } = await import('@anthropic-ai/sdk')
  const client = new Anthropic({
    apiKey,
    ...(baseURL === undefined ? {} : { baseURL }),
    fetch: (input, init) =>
      fetch(input, {
        ...init,
        signal: init?.signal ? AbortSignal.any([init.signal, io.signal]) : io.signal,
      }),
  })
  const where = kind === 'vendor' ? 'the vendor' : client.baseURL
  return { client, kind, where, suffix }
}

const findAddress = async (io: Io, { url, vendor, home }: TargetFlags): Promise<Address> => {
  if (url !== undefined && vendor) {
    throw new StewardError('invalid_input', {
      subject: '--url and --vendor',
      reason: 'choose one of the two',
    })
  }
  const place = await readHostedHome(io, home)
  const keyFrom = (name: string, what: string): string => {
    const key = place.environment[name]
    if (key !== undefined && key !== '') return key
    const reason = `${name} is not set; put the key into the environment or into ${place.home.envFile}`
    throw new StewardError('not_configured', { subject: what, reason })
  }
  if (vendor) {
    const apiKey = keyFrom(VENDOR_KEY_VARIABLE, "the vendor's API")
    const baseURL = place.environment.ANTHROPIC_BASE_URL || undefined
    return { kind: 'vendor', apiKey, baseURL, suffix: ' --vendor' }
  }
  if (url !== undefined) {
    const apiKey = keyFrom(KEY_VARIABLE, url)
    return { kind: 'url', apiKey, baseURL: checkUrl(url), suffix: ` --url ${url}` }
  }
  const { findOwnServer } = await import('@steward/hosted')
  const own = await findOwnServer(place.home.root)
  if (own === undefined) throw noServer(`none runs on ${place.home.root}`)
  const suffix = home === undefined ? '' : ` --home ${home}`
  return { kind: 'own', apiKey: own.key, baseURL: own.address, suffix }
}

/** The error if the person's own server is not running. */
export const noServer = (found: string): StewardError =>
  new StewardError('not_configured', {
    subject: 'the server of hosted agents',
    reason: `${found}; start one with \`${COMMAND} hosted serve\`, or name another with --url or --vendor`,
  })

const checkUrl = (url: string): string => {
  const parsed = URL.parse(url)
  if (parsed !== null && /^https?:$/.test(parsed.protocol)) return url
  const reason = 'it must be an http:// or https:// address'
  throw new StewardError('invalid_input', { subject: '--url', reason, field: 'url' })
}
