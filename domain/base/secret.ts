/** A secret that all servers of one store have in common, made by the first of them. */
export interface Secret {
  id: number;
  /**
   * links: signs links that open without a token. members: the servers prove by it to each other that they are of one store. marks: seals what
   * Devices keep for the store (domain/shapes/installation/store-era.ts).
   */
  name: 'links' | 'members' | 'marks';
  /** 256 bits in base64url. */
  value: string;
}
