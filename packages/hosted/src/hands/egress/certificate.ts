import { createHash, type KeyObject, randomBytes, sign } from 'node:crypto'
import * as der from './der.ts'

export interface CertificateRequest {
  /** The common name. */
  subject: string
  issuer: string
  publicKey: KeyObject
  issuerPublicKey: KeyObject
  /** An EC P-256 key. */
  issuerKey: KeyObject
  /** A host name; without one this is a CA certificate. */
  host?: string
  notBefore: Date
  notAfter: Date
}

const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2'
const COMMON_NAME = '2.5.4.3'
const SERVER_AUTHENTICATION = '1.3.6.1.5.5.7.3.1'
const EXTENSION = {
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
}

/** An X.509 v3 certificate as PEM, signed with ECDSA and SHA-256. Node can read them but not make them. */
export const makeCertificate = (request: CertificateRequest): string => {
  const algorithm = der.sequence(der.objectId(ECDSA_WITH_SHA256))
  const body = der.sequence(
    der.encodeDer(0xa0, der.unsigned(Buffer.from([2]))),
    der.unsigned(randomBytes(16)),
    algorithm,
    nameOf(request.issuer),
    der.sequence(toTime(request.notBefore), toTime(request.notAfter)),
    nameOf(request.subject),
    request.publicKey.export({ type: 'spki', format: 'der' }),
    der.encodeDer(0xa3, der.sequence(...extensionsOf(request))),
  )
  const signature = sign('sha256', body, { key: request.issuerKey, dsaEncoding: 'der' })
  return toPem(der.sequence(body, algorithm, der.bits(signature)))
}

const extensionsOf = ({ publicKey, issuerPublicKey, host }: CertificateRequest): Buffer[] => {
  const shared = [
    extension(EXTENSION.subjectKeyIdentifier, der.octets(keyIdentifier(publicKey))),
    extension(
      EXTENSION.authorityKeyIdentifier,
      der.sequence(der.encodeDer(0x80, keyIdentifier(issuerPublicKey))),
    ),
  ]
  if (host === undefined) {
    return [
      extension(EXTENSION.basicConstraints, der.sequence(der.yes()), 'critical'),
      // Bits 5 and 6: signs certificates and revocation lists.
      extension(EXTENSION.keyUsage, der.bits(Buffer.from([0b0000_0110]), 1), 'critical'),
      ...shared,
    ]
  }
  return [
    extension(EXTENSION.basicConstraints, der.sequence(), 'critical'),
    // Bit 0: signs handshakes.
    extension(EXTENSION.keyUsage, der.bits(Buffer.from([0b1000_0000]), 7), 'critical'),
    extension(EXTENSION.extendedKeyUsage, der.sequence(der.objectId(SERVER_AUTHENTICATION))),
    extension(EXTENSION.subjectAltName, der.sequence(der.encodeDer(0x82, Buffer.from(host)))),
    ...shared,
  ]
}

const extension = (id: string, value: Buffer, critical?: 'critical'): Buffer =>
  der.sequence(der.objectId(id), ...(critical === undefined ? [] : [der.yes()]), der.octets(value))

const nameOf = (commonName: string): Buffer =>
  der.sequence(der.setOf(der.sequence(der.objectId(COMMON_NAME), der.utf8(commonName))))

const toTime = (date: Date): Buffer => der.time(Math.floor(date.getTime() / 1000))

/** RFC 7093's first method: the leftmost 160 bits of the key's SHA-256. */
const keyIdentifier = (key: KeyObject): Buffer =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest()
    .subarray(0, 20)

const toPem = (bytes: Buffer): string => {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
