import { generateKeyPairSync } from 'node:crypto'
import { makeCertificate } from '../certificate.ts'

const DAY_MS = 86_400_000

/** A certificate of `localhost` that only those trust who are told to. */
export const selfSigned = (): { key: string; cert: string } => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const cert = makeCertificate({
    subject: 'localhost',
    issuer: 'localhost',
    publicKey,
    issuerPublicKey: publicKey,
    issuerKey: privateKey,
    host: 'localhost',
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + DAY_MS),
  })
  return { key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })), cert }
}
