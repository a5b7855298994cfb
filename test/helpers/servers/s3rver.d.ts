declare module 's3rver' {
  export default class S3rver {
    constructor(options: {
      address: string;
      port: number;
      silent: boolean;
      directory: string;
      configureBuckets: { name: string }[];
    });
    run(): Promise<unknown>;
    close(): Promise<void>;
  }
}

declare module 's3rver/lib/models/account.js' {
  const account: {
    DUMMY_ACCOUNT: {
      createKeyPair(accessKey: string, secretKey: string): void;
      revokeAccessKey(accessKey: string): void;
    };
  };
  export default account;
}
