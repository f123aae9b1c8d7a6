/**
 * Voices by traits. The largest combination whose traits are all present wins; the spec defines the
 * first four, the rest is ours. Every trait has its own voice in case no combination matches.
 */
export const VOICES_TEXT = `
default: neutral

voices:
  gravelly: { description: 'rough, slow, unimpressed', prosody: { stability: 0.7, similarity_boost: 0.8, style: 0.2, speed: 0.92 } }
  energetic: { description: 'bright, quick, smiling', prosody: { stability: 0.3, similarity_boost: 0.75, style: 0.6, speed: 1.12 } }
  edgy: { description: 'tense, clipped, alert', prosody: { stability: 0.35, similarity_boost: 0.8, style: 0.45, speed: 1.06 } }
  sophisticated: { description: 'polished, exact, unhurried', prosody: { stability: 0.75, similarity_boost: 0.85, style: 0.15, speed: 0.96 } }
  authoritative: { description: 'deep, settled, sure', prosody: { stability: 0.8, similarity_boost: 0.8, style: 0.1, speed: 0.95 } }
  warm: { description: 'soft, close, patient', prosody: { stability: 0.6, similarity_boost: 0.75, style: 0.3, speed: 0.95 } }
  calm: { description: 'even, quiet, careful', prosody: { stability: 0.85, similarity_boost: 0.75, style: 0.05, speed: 0.93 } }
  brisk: { description: 'short, plain, on its way', prosody: { stability: 0.5, similarity_boost: 0.75, style: 0.2, speed: 1.15 } }
  playful: { description: 'light, teasing, surprised', prosody: { stability: 0.25, similarity_boost: 0.7, style: 0.65, speed: 1.05 } }
  daring: { description: 'loud, direct, forward', prosody: { stability: 0.4, similarity_boost: 0.8, style: 0.5, speed: 1.08 } }
  scholarly: { description: 'measured, curious, precise', prosody: { stability: 0.7, similarity_boost: 0.75, style: 0.15, speed: 0.98 } }
  precise: { description: 'dry, crisp, level', prosody: { stability: 0.8, similarity_boost: 0.8, style: 0, speed: 1 } }
  wry: { description: 'dry, amused, doubtful', prosody: { stability: 0.55, similarity_boost: 0.75, style: 0.4, speed: 0.97 } }
  storyteller: { description: 'rich, rising and falling', prosody: { stability: 0.35, similarity_boost: 0.8, style: 0.55, speed: 0.97 } }
  diplomatic: { description: 'smooth, courteous, balanced', prosody: { stability: 0.65, similarity_boost: 0.75, style: 0.2, speed: 0.98 } }
  neutral: { description: 'plain and clear', prosody: { stability: 0.5, similarity_boost: 0.75, style: 0, speed: 1 } }

mappings:
  - { traits: [contrarian, skeptical], voice: gravelly, reason: doubt that has seen it all }
  - { traits: [enthusiastic, creative], voice: energetic, reason: ideas that cannot wait }
  - { traits: [security, adversarial], voice: edgy, reason: somebody is already inside }
  - { traits: [analytical, meticulous], voice: sophisticated, reason: every word is weighed }
  - { traits: [contrarian, adversarial], voice: gravelly, reason: argues to the end }
  - { traits: [skeptical, adversarial], voice: wry, reason: enjoys finding the hole }
  - { traits: [bold, rapid], voice: daring, reason: already moving }
  - { traits: [bold, business], voice: daring, reason: sells the large step }
  - { traits: [empathetic, consultative], voice: warm, reason: listens first }
  - { traits: [empathetic, medical], voice: warm, reason: bedside manner }
  - { traits: [cautious, thorough], voice: calm, reason: takes its time on purpose }
  - { traits: [cautious, legal], voice: authoritative, reason: counsel that has read it all }
  - { traits: [meticulous, legal], voice: authoritative, reason: counsel that has read it all }
  - { traits: [pragmatic, rapid], voice: brisk, reason: wants it done }
  - { traits: [analytical, data], voice: precise, reason: speaks in figures }
  - { traits: [analytical, systematic], voice: precise, reason: one step after another }
  - { traits: [research, synthesizing], voice: scholarly, reason: has read the shelf }
  - { traits: [research, thorough], voice: scholarly, reason: has read the shelf }
  - { traits: [creative, exploratory], voice: playful, reason: follows what surprises }
  - { traits: [creative, communications], voice: storyteller, reason: made to be heard }
  - { traits: [business, consultative], voice: diplomatic, reason: keeps everybody at the table }
  - { traits: [communications, empathetic], voice: diplomatic, reason: finds the kind word }
  - { traits: [security, skeptical, adversarial], voice: edgy, reason: trusts nothing that it can break }
  - { traits: [finance, cautious, systematic], voice: authoritative, reason: the auditor of the board }

fallbacks:
  security: edgy
  legal: authoritative
  finance: authoritative
  medical: calm
  technical: precise
  research: scholarly
  creative: playful
  business: diplomatic
  data: precise
  communications: storyteller
  skeptical: wry
  enthusiastic: energetic
  cautious: calm
  bold: daring
  analytical: sophisticated
  empathetic: warm
  contrarian: gravelly
  pragmatic: brisk
  meticulous: sophisticated
  thorough: scholarly
  rapid: brisk
  systematic: precise
  exploratory: playful
  comparative: diplomatic
  synthesizing: storyteller
  adversarial: edgy
  consultative: warm
`
