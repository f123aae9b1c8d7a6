const BY_TYPE: Record<string, string> = {
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
  'audio/flac': 'flac',
  'audio/x-flac': 'flac',
  'audio/ogg': 'ogg',
  'audio/opus': 'ogg',
  'application/ogg': 'ogg',
  'audio/mp4': 'm4a',
  'audio/x-m4a': 'm4a',
  'audio/aac': 'm4a',
  'video/mp4': 'mp4',
  'audio/webm': 'webm',
  'video/webm': 'webm',
}
const MAGIC: ReadonlyArray<{ format: string; at: number; text: string }> = [
  { format: 'wav', at: 8, text: 'WAVE' },
  { format: 'flac', at: 0, text: 'fLaC' },
  { format: 'ogg', at: 0, text: 'OggS' },
  { format: 'mp3', at: 0, text: 'ID3' },
  { format: 'm4a', at: 4, text: 'ftyp' },
  { format: 'webm', at: 0, text: '\u001aE\u00df\u00a3' },
]

/**
 * The file extension of audio, by its first bytes, or else by its type, because transcribers use
 * the extension.
 */
export const audioFormat = (bytes: Uint8Array, type: string): string => {
  const head = String.fromCharCode(...bytes.subarray(0, 16))
  const known = MAGIC.find(({ at, text }) => head.startsWith(text, at))
  if (known !== undefined) return known.format
  // A bare MPEG frame: eleven set bits.
  if (bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe0) === 0xe0) return 'mp3'
  return BY_TYPE[type] ?? 'mp3'
}
