import { type Fields, isFields } from '@steward/contract'

/** `chat.headers` and others hand the provider's API key along: none of it goes any further. */
export const withoutProvider = (payload: Fields): Fields => {
  const { input } = payload
  if (!isFields(input) || !('provider' in input || 'model' in input)) return payload
  const { provider: _provider, model: _model, ...rest } = input
  return { ...payload, input: rest }
}
