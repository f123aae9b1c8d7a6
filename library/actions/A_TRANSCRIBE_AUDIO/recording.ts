/** Audio on its way to a transcriber. */
export interface Recording {
  bytes: Uint8Array<ArrayBuffer>
  /** The file extension: mp3, wav, m4a… */
  format: string
  language: string | undefined
}
