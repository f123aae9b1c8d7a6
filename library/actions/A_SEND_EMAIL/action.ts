import { type ActionContextV2, type JsonObject, StewardError } from '@steward/contract'
import { needCapability } from '../../lib/need-capability.ts'
import { buildMessage } from './message.ts'
import { sendByApi } from './send-by-api.ts'
import { sendBySmtp } from './send-by-smtp.ts'

const ACTION = 'A_SEND_EMAIL'

export const execute = async (input: JsonObject, context: ActionContextV2): Promise<JsonObject> => {
  const message = buildMessage(input, context)
  const smtpUrl = context.secret('SMTP_URL')
  const apiUrl = context.secret('MAIL_API_URL')
  if (smtpUrl) {
    await sendBySmtp(smtpUrl, message)
    return { success: true, message_id: message.messageId }
  }
  if (!apiUrl) {
    throw new StewardError('not_configured', {
      subject: 'mail',
      reason:
        'set SMTP_URL (smtp://user:password@host:587), or MAIL_API_URL and MAIL_API_KEY, and MAIL_FROM',
    })
  }
  const id = await sendByApi(
    needCapability(context, ACTION, 'fetch'),
    { url: apiUrl, key: context.secret('MAIL_API_KEY') },
    message,
    context.signal,
  )
  return { success: true, message_id: id ?? message.messageId }
}
