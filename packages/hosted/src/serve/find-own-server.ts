import { StewardError } from '@steward/contract'
import { readIfPresent } from '@steward/platform'
import { z } from 'zod'
import { hostedPlaceOf } from './hosted-place.ts'
import { readOwnKey } from './own-key.ts'

const shown = z.looseObject({ address: z.url() })

export interface OwnServer {
  address: string
  key: string
}

/** The address and key that the server of a data home published; `undefined` if there is none. */
export const findOwnServer = async (home: string): Promise<OwnServer | undefined> => {
  const place = hostedPlaceOf(home)
  const text = await readIfPresent(place.server)
  if (text === undefined) return undefined
  const key = await readOwnKey(place.ownKey)
  if (key === undefined) return undefined
  try {
    return { address: shown.parse(JSON.parse(text)).address, key }
  } catch (thrown) {
    const reason = `${place.server} does not contain its address`
    throw new StewardError('not_configured', { subject: 'the hosted server', reason }, thrown)
  }
}
