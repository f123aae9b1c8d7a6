import { StewardError, toStewardError } from '@steward/contract'
import { checkWebhookBody, openWebhook, type SourceOf, type WebhookDelivery } from '@steward/engine'
import { readBytes } from '../http/read-input.ts'
import { writeLog } from '../write-log.ts'
import type { Invocation } from './invocation.ts'

/** Validates a signed call so far that only processing its items can still fail. */
export const acceptWebhook = async (
  source: SourceOf<'webhook'>,
  request: Request,
  { env, ports, secret, now }: Invocation,
): Promise<WebhookDelivery> => {
  const call = {
    body: await readBytes(request),
    header: (name: string) => request.headers.get(name) ?? undefined,
    nowMs: now(),
  }
  const delivery = await openWebhook(source, call, secret).catch((thrown: unknown) => {
    const error = toStewardError(thrown)
    if (error.code !== 'not_configured') throw error
    // The caller is untrusted until the signature is verified, so the response reveals nothing
    // about the configuration.
    writeLog(ports, env, { error })
    throw new StewardError('signature_invalid', { reason: 'it cannot be checked' }, error)
  })
  if (delivery.challenge === undefined) checkWebhookBody(source, delivery.body)
  return delivery
}
