import { StewardError, toStewardError } from '@steward/contract'
import { openWebhook, readWebhook, type SourceOf } from '@steward/engine'
import { readBytes } from '../http/read-input.ts'
import { writeLog } from '../write-log.ts'
import type { Invocation } from './invocation.ts'

/** Validates a signed call so far that only processing its items can still fail. */
export const acceptWebhook = async (
  source: SourceOf<'webhook'>,
  request: Request,
  { env, ports, secret }: Invocation,
): Promise<string> => {
  const signature = request.headers.get(source.header) ?? undefined
  const body = await openWebhook(
    source,
    { body: await readBytes(request), signature },
    secret,
  ).catch((thrown: unknown) => {
    const error = toStewardError(thrown)
    if (error.code !== 'not_configured') throw error
    // The caller is untrusted until the signature is verified, so the response reveals nothing
    // about the configuration.
    writeLog(ports, env, { error })
    throw new StewardError('signature_invalid', { reason: 'it cannot be checked' }, error)
  })
  try {
    readWebhook(source, body)
    return body
  } catch (thrown) {
    const error = toStewardError(thrown)
    if (error.code !== 'upstream_failed') throw error
    throw new StewardError(
      'invalid_input',
      { subject: 'the webhook body', reason: error.message },
      error,
    )
  }
}
