module top(input clk, input [1:0] a, output reg [3:0] q);
  always @(posedge clk) begin
    if (a == 2'd1) q <= q + 1;
    else if (a == 2'd3)
      q <= 0;
    case (a)
      2'd0: q <= 4'd9;
      2'd2: q <= q - 1;
      default: ;
    endcase
  end
  cover property (@(posedge clk) a == 2'd2);
endmodule
