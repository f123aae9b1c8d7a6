/**
 * The queue binding that a worker sees, as the script of a wrapped binding in workerd. It resolves
 * only after the broker outside has the messages on disk. Bodies travel as JSON text, so that the
 * broker measures the bytes that are stored.
 */
export const QUEUE_BINDING_SCRIPT = `
const toEntry = ({ body, contentType = 'json', delaySeconds }, index) => {
  const of = 'message ' + (index + 1)
  if (contentType !== 'json' && contentType !== 'text') {
    throw new TypeError(of + ": contentType '" + contentType + "' is not known to the local queue; use json or text")
  }
  const json = JSON.stringify(body)
  if (json === undefined) throw new TypeError(of + ': its body is ' + typeof body + ', which JSON cannot represent')
  return { json, delaySeconds }
}

export default ({ BROKER, queue }) => {
  const sendBatch = async (messages, { delaySeconds } = {}) => {
    const entries = Array.from(messages, toEntry)
    const response = await BROKER.fetch('https://broker/' + encodeURIComponent(queue), {
      method: 'POST',
      body: JSON.stringify({ messages: entries, delaySeconds }),
    })
    const answer = await response.json()
    if (!response.ok) throw Object.assign(new Error(answer.error), { code: answer.code })
    return answer
  }
  return {
    sendBatch,
    send: (body, options = {}) => sendBatch([{ body, ...options }]),
  }
}
`
