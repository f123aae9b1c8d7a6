import { createServer } from 'node:http'
import { isJsonObject } from '@steward/contract'
import { makeMp3 } from '../../../packages/daemon/src/modules/voice/testing/sounds.ts'

export interface VoiceService {
  address: string
  /** What was spoken, in order. */
  said: string[]
  close: () => void
}

/** A speech service on loopback, in the form of ElevenLabs. */
export const startVoiceService = async (): Promise<VoiceService> => {
  const said: string[] = []
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString() || '{}')
    if (isJsonObject(body) && typeof body.text === 'string') said.push(body.text)
    response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(makeMp3(10))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const at = server.address()
  return {
    address: `http://127.0.0.1:${isJsonObject(at) ? at.port : 0}`,
    said,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
